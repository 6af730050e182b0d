# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise removed from a motion by filters, and by examples if these are nearer to it than the filters' own error.

The places of joints are filtered, each according to its noise, and rotations are fitted to them. The difference between
the filtered motion and the examples' motion is then kept only as far as it exceeds the error that the filters leave
(James, Stein 1961), so that examples that do not contain the action change little.
"""

import numpy as np

from ..arrays import Float64, Indices, Mask
from ..computation import computing
from ..library.indexed_motions import IndexedMotions
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan
from .fitting import fit_to_places
from .local_projection import ProjectionSettings, body_joints, project
from .smoothing import Smoothed, smoothed

POOLED = 0.8
"""Weight of all joints in the expected squared distance of one joint: chosen on seven clips with noise of 5 cm."""
LEAST = np.finfo(np.float64).tiny
"""Smallest divisor, so small that lengths may have any unit."""
BIAS = 0.4
"""Bias of a filtered place, in deviations of its noise: rotations that tremble shorten a limb on average."""
REMAINING_NOISE = 1.5
"""Factor on the noise when examples' windows are estimated: what remains of it after a fit is not white."""
SECONDS, COUNT = 0.7, 128
"""Length of the examples' windows, in seconds, and the number of them that count for each: chosen on nine clips with
noise of 5 cm."""
STILL = 0.1
"""Smallest movement that the noise of a joint's rotation causes below it, as a share of the largest such movement, at
which the joint itself trembles."""
WIDER = 1.3
"""Factor on the width of filters where no examples take over: with noise of 1.4 degrees on twenty recorded clips, the
shake that is left in the worst falls from 1.6 to 1.1 times that of the clean motion, for 5 % more error."""


def filter_weights(distances: Float64, errors: Float64) -> Float64:
    """Return the weights `(B,)` of filtered joints when they are blended with the examples, 0 to 1.

    The distance and the estimated error of one joint in one clip are largely chance. All joints together show how well
    the examples represent a motion, so each joint's distance is mostly taken from all of them.

    distances: `(B,)` mean squared distances between both. errors: `(B,)` mean squared errors that remain after the
    filters, as estimated. Least squares over all joints give the distance that is usual for an error. A joint without
    error has the weight 1.

    >>> filter_weights(np.array([1.0, 1.0, 4.0]), np.array([1.0, 0.0, 4.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    relative = errors / max(float(errors.max(initial=0.0)), LEAST)
    usual = relative * (relative @ distances) / max(float(relative @ relative), LEAST)
    expected = (1.0 - POOLED) * distances + POOLED * usual
    return np.asarray(np.clip(1.0 - errors / np.maximum(expected, LEAST), 0.0, 1.0))


@computing()
def denoised(
    motion: Motion,
    plan: RootPlan,
    library: IndexedMotions | None = None,
    allowed: Mask | None = None,
    measured: slice = slice(None),
    joints: Mask | None = None,
) -> Motion:
    """Return a motion `(T)` without its noise; plan: of its root, measured: the frames at which noise is measured.

    joints: `(J,)` joints that may turn, None is all; only those of them that tremble do. allowed: `(M,)` the motions of
    the library that may be used; None is all. Raises InputError for a library on another skeleton.

    >>> from genmm_addon.core.feet import standing_of
    >>> denoised(swing, standing_of(swing).plan).frames
    60
    """
    motion.check_values("The motion to repair")
    body = body_joints(motion, plan)
    wider = WIDER if library is None else 1.0
    places = smoothed(motion.pose()[1].astype(np.float64), measured, wider)
    turns = smoothed(rotations.make_continuous(motion.rotations).astype(np.float64)[:, body], measured, wider)
    free = _trembling(motion, body, turns.noise)
    if joints is not None:
        free &= joints
    start = _with_turns(motion, turns.values, body, free, plan, measured)
    filtered = fit_to_places(start, places.values, body, plan.joint, free)
    noise = float(np.sqrt(np.square(places.noise[body]).mean())) / motion.skeleton.size
    if library is None or noise < ROUNDING:
        return filtered
    settings = ProjectionSettings(seconds=SECONDS, count=COUNT, noise=REMAINING_NOISE * noise)
    projection = project(library, motion, filtered, settings, allowed)
    positions = filtered.pose()[1].astype(np.float64)
    target = positions.copy()
    weights = _weights(positions[:, body] - projection.places, places, body, measured)
    target[:, body] = projection.places + weights[:, None] * (positions[:, body] - projection.places)
    angles = rotations.to_vector(
        rotations.multiply(rotations.inverse(projection.motion.rotations[:, body]), filtered.rotations[:, body])
    ).astype(np.float64)
    # The components of a quaternion change by half of the angle.
    turn_weights = _weights(0.5 * angles, turns, np.arange(len(body)), measured)
    turned = rotations.slerp(
        projection.motion.rotations[:, body],
        filtered.rotations[:, body],
        np.broadcast_to(turn_weights, angles.shape[:2]),
    )
    start = _with_turns(filtered, turned.astype(np.float64), body, free, plan, measured)
    return fit_to_places(start, target, body, plan.joint, free)


def _trembling(motion: Motion, body: Indices, noise: Float64) -> Mask:
    """Return a mask `(J,)` of the body's joints that tremble by themselves; noise: `(B,)` of their rotations.

    The movement caused by a turn counts, so that equal noise on all places is noise of all joints. Joints without
    children may always turn, since they move no other joint.
    """
    parents, stance = motion.skeleton.parents, motion.skeleton.stance
    lengths = np.zeros(len(parents))
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0:
            lengths[parent] = max(lengths[parent], float(np.linalg.norm(stance[joint] - stance[parent])))
    moved = noise * lengths[body]
    free = np.zeros(len(parents), bool)
    free[body] = (moved >= STILL * moved.max(initial=0.0)) | (lengths[body] == 0)
    return free


def _weights(difference: Float64, signals: Smoothed, joints: Indices, measured: slice) -> Float64:
    """Return the weights `(B,)` of filtered signals when they are blended with the examples.

    difference: `(T, B, 3)` from the examples to the filtered ones. signals: filtered, of which `joints` are
    compared, with their estimated errors.
    """
    error = signals.risk + signals.values.shape[2] * np.square(BIAS * signals.noise)
    return filter_weights(np.square(difference)[measured].sum(axis=2).mean(axis=0), error[joints])


def _with_turns(motion: Motion, turns: Float64, body: Indices, free: Mask, plan: RootPlan, measured: slice) -> Motion:
    """Return the motion with rotations `(T, B, 4)` for the body's free joints, and its translations filtered."""
    channels = {name: values.copy() for name, values in motion.channels().items()}
    channels["rotations"][:, body[free[body]]] = rotations.normalize(turns[:, free[body]])
    channels["rotations"] = rotations.make_continuous(channels["rotations"])
    others = np.isin(motion.translated, body) & (motion.translated != plan.joint)
    if others.any():
        moved = smoothed(motion.translations[:, others].astype(np.float64), measured)
        channels["translations"][:, others] = moved.values
    return motion.with_channels(channels)
