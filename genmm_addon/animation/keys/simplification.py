# SPDX-License-Identifier: GPL-3.0-or-later
"""The precision of few keys, and the density of keys in examples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from bpy.types import Object, Scene

from ...core import Array, Mask
from ...core.fields import Choice
from ...core.keys import Curves, Keys, own_keys, shared_keys, shared_keys_at_most
from ..curves import collect_curves, key_values
from ..reading.example_spec import ExampleSpec, range_of, rate_of
from ..rotation_modes import AXIS_ANGLE, QUATERNION
from ..scene_time import scene_rate

NEARLY_EVERY_FRAME = 0.9
"""Keys per frame from which on a result has a key on every frame; leaving a few out would not be worth the error."""


class KeySpacing(Enum):
    """The choices of frames that get keys."""

    EVERY_FRAME = "EVERY_FRAME"
    SHARED = "SHARED"
    """As few frames as possible, the same for all bones: poses."""
    PER_BONE = "PER_BONE"
    """As few frames as possible for each bone."""
    AS_EXAMPLES = "AS_EXAMPLES"
    """The examples' density of keys, at the same frames for all bones: poses."""


KEY_SPACINGS = (
    Choice(
        "EVERY_FRAME", "Every Frame", "A key on every frame, exactly the new motion", KeySpacing.EVERY_FRAME, "every"
    ),
    Choice(
        "SHARED",
        "Few Poses",
        "As few keys as can be, at the same frames for all bones, with smooth curves between them",
        KeySpacing.SHARED,
        "shared",
    ),
    Choice(
        "PER_BONE",
        "Few per Bone",
        "As few keys as each bone can do with, at frames of its own, with smooth curves between them",
        KeySpacing.PER_BONE,
        "bones",
    ),
    Choice(
        "AS_EXAMPLES",
        "As in Examples",
        "As many keys as the examples have in as much time, at the same frames for all bones, "
        "with smooth curves between them; recorded examples and libraries have one on every frame",
        KeySpacing.AS_EXAMPLES,
        "examples",
    ),
)


@dataclass(frozen=True)
class Simplification:
    """The precision of few keys with smooth curves between them.

    shared: whether all bones are keyed at the same frames. angle: largest error of a bone's own rotation at any frame,
    in radians. share: largest error of a location in sizes of the character, of a scale, and of another value in its
    range. density: most keys per frame, shared by all bones; the errors, in the above proportions, are then as small as
    this number allows. None: as few keys as the errors allow. poses: most keys in all frames, in place of `density`.
    """

    shared: bool
    angle: float
    share: float
    density: float | None = None
    poses: int | None = None

    def over(self, frames: int) -> "Simplification":
        """Return the precision for curves of this many frames in all, with a number of poses as a density."""
        return replace(self, density=(self.poses - 1) / max(frames - 1, 1)) if self.poses else self


def simplification(spacing: KeySpacing, degrees: float, percent: float) -> Simplification | None:
    """Return the simplification for the settings; None if every frame gets a key."""
    if spacing is KeySpacing.EVERY_FRAME:
        return None
    return Simplification(spacing is not KeySpacing.PER_BONE, math.radians(degrees), percent / 100.0)


def rotation_bound(mode: str, angle: float) -> float:
    """Return the largest error, as the length of all components, that keeps a rotation in this mode within an angle.

    On the sphere of unit quaternions, a rotation moves by half its angle. The angles of an Euler rotation add up to at
    most the square root of three times their length. For an angle and axis, a fifth of the angle is a safe bound.
    """
    return angle / {QUATERNION: 2.0, AXIS_ANGLE: 5.0}.get(mode, math.sqrt(3.0))


def simplified(
    curves: Sequence[Curves],
    precision: Simplification,
    required: Mask | None = None,
    shortest_still: int = 0,
) -> list[Keys]:
    """Return the keys of curves that belong together, in the order of the curves.

    required, shortest_still: of shared keys, as in `shared_keys`. Raises InputError for values that are not finite.
    """
    if precision.density is not None and curves:
        return shared_keys_at_most(curves, 1 + round(precision.density * (len(curves[0].values) - 1)))
    return shared_keys(curves, required, shortest_still) if precision.shared else own_keys(curves)


def scalar_bound(values: Array, share: float) -> float:
    """Return the largest error of other values: a share of their range, or the share itself if they are constant."""
    spread = float(np.ptp(values)) if len(values) else 0.0
    return share * spread or share


def as_dense_as(
    precision: Simplification, armature: Object, specs: Sequence[ExampleSpec], scene: Scene
) -> Simplification | None:
    """Return the precision with the examples' density of keys; None if they have about one key per frame.

    Raises InputError as `keys_per_second` does.
    """
    per_second = keys_per_second(armature, specs, scene)
    density = math.inf if per_second is None else per_second / scene_rate(scene)
    return None if density >= NEARLY_EVERY_FRAME else replace(precision, density=density)


def keys_per_second(armature: Object, specs: Sequence[ExampleSpec], scene: Scene) -> float | None:
    """Return the keys per second of the examples' moving curves, on average over all of them.

    None if this is unknown: clips of a library, and the character's present animation without an action, are sampled.
    Raises InputError if an example has no frames.
    """
    keys, seconds = 0, 0.0
    for spec in specs:
        if spec.action is None:
            return None
        curves = collect_curves(spec.armature or armature, spec.action, spec.slot)
        start, end = range_of(spec, curves, scene)
        for values in (key_values(curve) for curve in curves.all_curves()):
            inside = values[(values[:, 0] >= start) & (values[:, 0] <= end)]
            if len(inside) > 1 and np.ptp(inside[:, 1]) > 0.0:
                # n keys divide the time into n - 1 intervals.
                keys += len(inside) - 1
                seconds += (end - start) / rate_of(spec, scene)
    return keys / seconds if seconds else None
