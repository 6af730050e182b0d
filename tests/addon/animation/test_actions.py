# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions mean the same whether this Blender has slots or not."""

import bpy
import numpy as np
import pytest
from rigs import evaluated, key, make_rig

from genmm_addon.animation import actions
from genmm_addon.core import InputError

BONE = 'pose.bones["hips"].location'
slots_only = pytest.mark.skipif("layers" not in bpy.types.Action.bl_rna.properties, reason="actions have no slots here")


def test_an_assigned_new_action_plays_on_the_armature() -> None:
    armature = make_rig()
    action, slot = actions.new_action("Move", armature)
    key(action, slot, BONE, 0, [(1, 0.0), (11, 5.0)])
    still = evaluated(armature, [11])[0, 1, :3, 3]
    actions.assign(armature, action, slot)
    moved = evaluated(armature, [11])[0, 1, :3, 3] - still
    assert np.linalg.norm(moved) == pytest.approx(5.0, abs=1e-4)


def test_an_action_plays_although_its_slot_was_made_for_another_character() -> None:
    other, armature = make_rig(), make_rig()
    action, slot = actions.new_action("Move", other)
    key(action, slot, BONE, 0, [(1, 3.0)])
    still = evaluated(armature, [1])
    actions.assign(armature, action)
    assert abs(evaluated(armature, [1]) - still).max() > 2.9


def test_curves_are_found_and_grouped_by_bone() -> None:
    armature = make_rig()
    action, slot = actions.new_action("Move", armature)
    factory = actions.curve_factory(action, slot)
    for index in range(3):
        factory.new(BONE, index, "hips")
    factory.new("location", 0)
    curves = list(actions.fcurves_of(action, slot))
    assert [curve.group.name if curve.group else "" for curve in curves] == ["hips", "hips", "hips", ""]
    assert list(actions.fcurves_of(action)) == curves


def test_clearing_leaves_the_object_without_an_action_and_restoring_gives_it_back() -> None:
    armature = make_rig()
    action, slot = actions.new_action("Move", armature)
    assert actions.assigned(armature) is None
    actions.assign(armature, action, slot)
    before = actions.assigned(armature)
    assert before == (action, slot)
    actions.clear_assignment(armature)
    assert actions.assigned(armature) is None
    actions.restore(armature, before)
    assert actions.assigned(armature) == before


def test_an_armature_that_was_never_evaluated_is_refused_rather_than_crashing() -> None:
    unseen = bpy.data.objects.new("Unseen", bpy.data.armatures.new("Unseen"))
    action, slot = actions.new_action("Move", unseen)
    with pytest.raises(InputError, match="no pose"):
        actions.assign(unseen, action, slot)


def test_an_object_in_tweak_mode_is_refused() -> None:
    armature = make_rig()
    action, slot = actions.new_action("Move", armature)
    key(action, slot, BONE, 0, [(1, 0.0), (11, 5.0)])
    data = armature.animation_data_create()
    strip = data.nla_tracks.new().strips.new("Move", 1, action)
    strip.select = True
    data.nla_tracks[0].select = True
    data.use_tweak_mode = True
    assert data.use_tweak_mode
    with pytest.raises(InputError, match="tweak mode"):
        actions.assign(armature, action, slot)


@slots_only
def test_the_armatures_slot_is_taken_before_that_of_another_object_and_shape_keys_never() -> None:
    armature = make_rig()
    action = bpy.data.actions.new("Several")
    keys = action.slots.new(id_type="KEY", name="Shapes")
    action.slots.new(id_type="OBJECT", name="Mesh")
    own = action.slots.new(id_type="OBJECT", name="Rig")
    key(action, keys.identifier, 'key_blocks["Smile"].value', 0, [(1, 1.0)])
    key(action, own.identifier, BONE, 0, [(1, 1.0)])
    assert actions.armature_slots(action) == ["OBRig", "OBMesh"]
    assert [curve.data_path for curve in actions.fcurves_of(action)] == [BONE]
    actions.assign(armature, action)
    assert actions.assigned(armature) == (action, "OBRig")


@slots_only
def test_characters_sharing_an_action_use_separate_slots() -> None:
    first, second = make_rig(), make_rig()
    action = bpy.data.actions.new("Duet")
    for armature in (first, second):
        slot = action.slots.new(id_type="OBJECT", name=armature.name)
        key(action, slot.identifier, BONE, 0, [(1, 1.0)])
    assert actions.slot_for(second, action) == f"OB{second.name}"
    actions.assign(second, action)
    assert actions.assigned(second) == (action, f"OB{second.name}")
    actions.assign(second, action, f"OB{first.name}")
    assert actions.slot_for(second, action) == f"OB{first.name}"


@slots_only
def test_missing_slot_is_reported_by_name() -> None:
    action, _ = actions.new_action("Move", make_rig())
    with pytest.raises(InputError, match="OBNobody"):
        actions.fcurves_of(action, "OBNobody")


@slots_only
def test_an_action_without_a_slot_for_objects_is_refused() -> None:
    action = bpy.data.actions.new("Shapes")
    action.slots.new(id_type="KEY", name="Shapes")
    with pytest.raises(InputError, match="no keys that move an object"):
        actions.fcurves_of(action)
