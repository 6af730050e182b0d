# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks before writing into an existing action: keys would have to play, and to change nothing else."""

from collections.abc import Iterable, Sequence

import numpy as np
from bpy.types import Action, FCurve, Object

from ...core import InputError
from ..actions import POSE_BONES, armature_slots, check_tweak_mode, fcurves_of, is_modified, is_muted
from ..curves import keyed_modes
from .key_tables import read_places
from .linked import check_local, is_linked, why_empty, why_no_new_action


def check_read(action: Action) -> None:
    """Raise InputError if an action is empty because its library is missing."""
    empty = why_empty(action)
    if empty:
        raise InputError(f"{empty}.")


def check_action(armature: Object, action: Action) -> None:
    """Raise InputError if the action cannot be written to: it is linked, overridden, or played as an NLA strip.

    An action that switches a rotation mode cannot be either: new keys play in one mode only.
    """
    check_read(action)
    check_local(action)
    for curve in (curve for slot in armature_slots(action) for curve in fcurves_of(action, slot)):
        if curve.data_path.endswith("rotation_mode") and not is_muted(curve) and len(keyed_modes(curve)) > 1:
            raise InputError(
                f'Action "{action.name}" switches a rotation mode ({curve.data_path}) and cannot be edited in place; '
                "convert its keys to one mode with Pose > Convert Rotation Modes."
            )
    _check_own(armature, action)


def check_copied(armature: Object, action: Action) -> None:
    """Raise InputError if no action made from a copy can be played: on a linked character, or in an NLA strip.

    The action itself may be linked.
    """
    check_read(action)
    if is_linked(armature):
        raise InputError(f"{why_no_new_action(armature)}.")
    if action.library is None:
        _check_own(armature, action)
    else:
        check_tweak_mode(armature)


def _check_own(armature: Object, action: Action) -> None:
    if action.override_library is not None or not action.is_editable:
        raise InputError(f'Action "{action.name}" is a library override; make it local to change it.')
    check_tweak_mode(armature)


def check_curves(armature: Object, curves: Iterable[FCurve], *, may_repeat: bool = False) -> None:
    """Raise InputError if keys in one of the curves would not play unchanged, or must not be changed.

    may_repeat: whether curves may cycle beyond their ends.
    """
    driven = _driven(armature)
    for curve in curves:
        name = title_of(curve.data_path)
        if curve.lock or (curve.group is not None and curve.group.lock):
            raise InputError(f"The curve of {name} is locked; unlock it first.")
        if is_muted(curve):
            raise InputError(f"The curve of {name} is muted, so its keys do not play; unmute it first.")
        if is_modified(curve, may_repeat=may_repeat):
            if not is_modified(curve, may_repeat=True):
                raise InputError(
                    f"The curve of {name} repeats beyond its ends, and so would new motion; clear that in the Graph "
                    "Editor with Channel > Extrapolation Mode > Clear Cyclic first, or choose frames between its ends."
                )
            raise InputError(
                f"The curve of {name} has F-modifiers, which would change the new motion and the motion around it; "
                "apply or remove them first."
            )
        if (curve.data_path, curve.array_index) in driven:
            raise InputError(f"A driver moves {name}, so its keys would not play; remove the driver first.")
        if not np.isfinite(read_places(curve)).all():
            raise InputError(f"The curve of {name} has a key whose value is not a number; delete it first.")


def check_new_curves(
    armature: Object, action: Action, curves: Sequence[tuple[str, int]], *, covers: bool = False
) -> None:
    """Raise InputError if new curves of the action, given by path and index, would override other animation.

    covers: whether the action is meant to override the NLA tracks below it.
    """
    driven, below = _driven(armature), set() if covers else _played_below(armature, {path for path, _ in curves})
    for path, index in curves:
        if (path, index) in driven:
            raise InputError(f"A driver moves {title_of(path)}, so its keys would not play; remove the driver first.")
        if path in below:
            raise InputError(
                f'An NLA track moves {title_of(path)}, which keys in action "{action.name}" would override outside the '
                "range too; key it in the action, or mute the track first."
            )


def title_of(path: str) -> str:
    """Return a data path for a sentence: the bone and its property."""
    if not path.startswith(POSE_BONES) or path.count('"') < 2:
        return f'"{path}"'
    return f'"{path.split(chr(34))[1]}" ({path.rpartition(".")[2].replace("_", " ")})'


def _driven(armature: Object) -> set[tuple[str, int]]:
    data = armature.animation_data
    return set() if data is None else {(driver.data_path, driver.array_index) for driver in data.drivers}


def _played_below(armature: Object, paths: set[str]) -> set[str]:
    """Return those of the paths that are keyed by actions on NLA tracks."""
    data = armature.animation_data
    if data is None or not paths:
        return set()
    keyed: set[str] = set()
    for track in data.nla_tracks:
        for strip in () if track.mute else track.strips:
            if strip.action is not None and not strip.mute:
                for slot in armature_slots(strip.action):
                    keyed |= paths & {curve.data_path for curve in fcurves_of(strip.action, slot)}
    return keyed
