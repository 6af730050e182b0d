# SPDX-License-Identifier: GPL-3.0-or-later
"""A human character built by Blender's Rigify, some of whose controls sway."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import addon_utils
import bpy
import pytest
from bpy.types import Action, Object
from interface import registered
from rigs import key

from genmm_addon.animation import actions

FRAMES = 40


@contextmanager
def generated_human() -> Iterator[Object]:
    """Yield a generated rig without an action; the extension is enabled for the block."""
    with registered():
        if addon_utils.enable("rigify", default_set=True) is None:
            pytest.skip("Rigify is not part of this Blender.")
        bpy.ops.object.armature_basic_human_metarig_add()
        metarig = bpy.context.object
        assert bpy.ops.pose.rigify_generate() == {"FINISHED"}
        rig = bpy.context.object
        bpy.data.objects.remove(metarig)
        yield rig
        addon_utils.disable("rigify", default_set=True)


def swaying(rig: Object, controls: Sequence[str]) -> tuple[Action, str]:
    """Return an action, and its slot, that moves the controls and switches an arm from IK to FK and back."""
    action, slot = actions.new_action("Sway", rig)
    for number, bone in enumerate(controls):
        for axis in range(3):
            values = [0.1 * math.sin(frame / (4 + axis) + number) for frame in range(FRAMES)]
            key(action, slot, f'pose.bones["{bone}"].location', axis, list(enumerate(values, 1)))
    switch = 'pose.bones["upper_arm_parent.L"]["IK_FK"]'
    key(action, slot, switch, 0, [(1.0, 0.0), (20.0, 1.0), (float(FRAMES), 0.0)])
    return action, slot
