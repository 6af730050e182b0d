# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of coarse keys, stored on actions: the original, and the frames that were keyed at first."""

import json
from dataclasses import dataclass

import numpy as np
from bpy.types import Action

from ..animation.stretches.fingerprints import fingerprint
from ..core import Float64
from ..core.storage import stored

FRAMES, ORIGINAL, FULL, COARSE, WRITTEN = (
    f"genmm_coarse_{word}" for word in ("frames", "original", "full", "keys", "written")
)
"""Properties of actions; files hold them: their names stay. Those that name actions are pointers, which Blender keeps
through renaming and saving."""


@dataclass(frozen=True, eq=False)
class CoarseRecord:
    """The origin of coarse keys: their original, None where it was deleted, the frames `(K,)` that were keyed at first,
    and the last full motion made from them.
    """

    original: Action | None
    frames: Float64
    full: Action | None


def keep_coarse(coarse: Action, original: Action, frames: Float64) -> None:
    """Store the origin of coarse keys on their action."""
    for name in (FULL, COARSE, WRITTEN):
        forget(coarse, name)
    coarse[FRAMES], coarse[ORIGINAL] = json.dumps(frames.tolist()), original


def coarse_record(action: Action | None) -> CoarseRecord | None:
    """Return the origin of an action of coarse keys; None for any other, and where it cannot be read."""
    frames = stored(action, FRAMES, tuple[float, ...])
    if action is None or not frames:
        return None
    return CoarseRecord(_action(action, ORIGINAL), np.array(frames), _action(action, FULL))


def keep_full(full: Action, coarse: Action, slot: str) -> None:
    """Store links between a full motion and the coarse keys that it was made from."""
    for name in (FRAMES, ORIGINAL, FULL):
        forget(full, name)
    full[COARSE], full[WRITTEN], coarse[FULL] = coarse, fingerprint(full, slot), full


def coarse_of(full: Action | None) -> Action | None:
    """Return the coarse keys that a full motion was made from; None for any other action."""
    return None if full is None else _action(full, COARSE)


def is_as_written(full: Action, slot: str) -> bool:
    """Return whether the keys of a full motion are unchanged since it was written."""
    return bool(full.get(WRITTEN) == fingerprint(full, slot))


def forget(action: Action, name: str) -> None:
    """Remove a property from an action that has it."""
    if action.get(name) is not None:
        del action[name]


def _action(holder: Action, name: str) -> Action | None:
    linked = holder.get(name)
    return linked if isinstance(linked, Action) else None
