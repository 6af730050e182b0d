# SPDX-License-Identifier: GPL-3.0-or-later
"""Left and right of a character, searched for once, for the panel to show which examples cannot be mirrored."""

from dataclasses import replace

import numpy as np
from bpy.types import Object, Scene

from ...animation.reading.example_spec import ExampleSpec, Mirrored
from ...animation.reading.examples import read_keyed
from ...animation.rig import read_skeleton
from ...core import InputError, Motion
from ...core.transfer import find_symmetry
from ...requests.choices import choice_of
from ...state.properties import GENMM_PG_example
from ..common.known_while import KnownWhile
from .learned import mark_of

_known = KnownWhile[bool]()


def has_sides(character: Object, item: GENMM_PG_example, scene: Scene) -> bool:
    """Return whether a row's example can be mirrored; True where its keyed channels cannot be read."""
    if item.action is None:
        return True
    spec = replace(choice_of(item).spec, mirrored=Mirrored.AS_RECORDED)
    owner = spec.armature or character
    thing = character.name_full, owner.name_full, item.action.name_full, spec.slot, spec.frame_start, spec.frame_end
    mark = _bones(character), mark_of(owner, spec)
    return _known.value(thing, mark, lambda: _looked_for(character, spec, scene))


def _looked_for(character: Object, spec: ExampleSpec, scene: Scene) -> bool:
    skeleton = read_skeleton(character)
    rest_pose = np.tile(np.array([1, 0, 0, 0], np.float32), (1, len(skeleton.names), 1))
    if find_symmetry([Motion(skeleton, 1.0, rest_pose)]) is not None:
        return True
    if spec.armature is not None:
        return True
    try:
        (motion,) = read_keyed(character, [spec], scene).motions
        motion.check_values(spec.name)
    except InputError:
        return True
    return find_symmetry([motion]) is not None


def _bones(character: Object) -> bytes:
    """Return a value that changes with the rest pose."""
    bones = character.data.bones
    matrices = np.empty(len(bones) * 16, np.float32)
    bones.foreach_get("matrix_local", matrices)
    return matrices.tobytes()
