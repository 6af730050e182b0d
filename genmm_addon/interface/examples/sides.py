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
from .learned import mark_of
from .remarks import MOST_KNOWN

_known: dict[object, bool] = {}
"""Cache by bones and example, since pairing left and right bones takes too long while a panel is drawn."""


def has_sides(character: Object, item: GENMM_PG_example, scene: Scene) -> bool:
    """Return whether a row's example can be mirrored; True where its keyed channels cannot be read."""
    if item.action is None:
        return True
    spec = replace(choice_of(item).spec, mirrored=Mirrored.AS_RECORDED)
    owner = spec.armature or character
    mark = _bones(character), owner.name_full, mark_of(owner, spec)
    if mark not in _known:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[mark] = _looked_for(character, spec, scene)
    return _known[mark]


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


def _bones(character: Object) -> object:
    """Return a value that changes with the rest pose."""
    bones = character.data.bones
    matrices = np.empty(len(bones) * 16, np.float32)
    bones.foreach_get("matrix_local", matrices)
    return character.name_full, matrices.tobytes()
