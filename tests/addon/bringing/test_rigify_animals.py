# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigify's animals: the controls that turn limbs and head are found by shape, though many others lie beside them."""

from dataclasses import replace

import addon_utils
import bpy
import pytest

from genmm_addon.animation.rig import read_skeleton
from genmm_addon.core.transfer import match_joints

pytestmark = pytest.mark.usefixtures("extension")


@pytest.mark.parametrize("animal", ["basic_quadruped", "wolf", "cat", "horse"])
def test_limbs_head_and_hips_of_a_plain_skeleton_find_the_controls_of_the_rig_made_from_it(animal: str) -> None:
    if addon_utils.enable("rigify", default_set=True) is None:
        pytest.skip("Rigify is not part of this Blender.")
    try:
        getattr(bpy.ops.object, f"armature_{animal}_metarig_add")()
        plain = read_skeleton(bpy.context.object)
        bpy.ops.pose.rigify_generate()
        controls = read_skeleton(bpy.context.object)
    finally:
        addon_utils.disable("rigify", default_set=True)
    names = [f"joint {number}" for number in range(len(plain.names))]
    found = match_joints(replace(plain, names=tuple(names)), controls)
    pairs = {plain.names[names.index(name)]: control for name, control in found.names.items()}
    assert found.fits
    sided = [name for name in plain.names if name.endswith((".L", ".R"))]
    forward = {name: f"{name[:-2]}_fk{name[-2:]}" for name in sided}
    limbs = {name: control for name, control in forward.items() if control in controls.names}
    assert len(limbs) >= 10
    assert {name: pairs.get(name) for name in limbs} == limbs
    assert "torso" in pairs.values() and "head" in pairs.values()
    assert not [control for control in pairs.values() if "ik" in control or "tweak" in control or "MCH" in control]
