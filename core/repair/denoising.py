# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise taken off a motion: by filters, and by examples as far as they are nearer to it than the filters' own error.

Joints' places are filtered, each as much as it trembles, and rotations are fitted to them. Of what is then left between
the filtered motion and the examples' motion only so much is believed as exceeds the error that the filters leave
(James, Stein 1961): examples that do not know the action change little.
"""

import numpy as np
from numpy.typing import NDArray

from ..infill.fill import FillingLibrary
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan
from ..refinement.local_projection import ProjectionSettings, body_joints, project
from .beliefs import believed_shares
from .fitting import fit_to_places
from .smoothing import Smoothed, smoothed

Float64 = NDArray[np.float64]
Indices = NDArray[np.int64]

BIAS = 0.4
"""Deviations of the noise by which a filtered place is off still: rotations that tremble shorten a limb on the mean."""
LESS_TRUST = 1.5
"""The examples' windows are estimated as with so many times the noise: what is left of it after a fit is not white."""
SECONDS, COUNT = 0.7, 128
"""Length of the examples' windows, and how many count for each: chosen on nine clips with noise of 5 cm."""
STILL = 0.1
"""A joint whose turns move what is below it by a smaller share of what the worst joint's do does not tremble."""
LEAST_NOISE = 1e-6
"""Noise below this share of the size is none, and no examples are looked for."""


def denoised(
    motion: Motion,
    plan: RootPlan,
    library: FillingLibrary | None = None,
    allowed: NDArray[np.bool_] | None = None,
    measured: slice = slice(None),
    joints: NDArray[np.bool_] | None = None,
) -> Motion:
    """Return a motion `(T)` without its noise. plan: its root; measured: the frames in which the noise is measured.

    joints: `(J,)` those that may turn, None is all; of these the ones that tremble do. allowed: `(M,)` the motions of
    the library that may be used; None is all. Raises InputError for a library on another skeleton.

    >>> from genmm_addon.core.refinement import standing_of
    >>> denoised(swing, standing_of(swing).plan).frames
    60
    """
    body = body_joints(motion, plan)
    places = smoothed(motion.pose()[1].astype(np.float64), measured)
    turns = smoothed(rotations.make_continuous(motion.rotations).astype(np.float64)[:, body], measured)
    free = _trembling(motion, body, turns.noise)
    if joints is not None:
        free &= joints
    start = _with_turns(motion, turns.values, body, free, plan, measured)
    filtered = fit_to_places(start, places.values, body, plan.joint, free)
    noise = float(np.sqrt(np.square(places.noise[body]).mean())) / motion.skeleton.size
    if library is None or noise < LEAST_NOISE:
        return filtered
    settings = ProjectionSettings(seconds=SECONDS, count=COUNT, noise=LESS_TRUST * noise)
    found = project(library, motion, filtered, settings, allowed)
    own = filtered.pose()[1].astype(np.float64)
    target = own.copy()
    kept = _kept(own[:, body] - found.places, places, body, measured)
    target[:, body] = found.places + kept[:, None] * (own[:, body] - found.places)
    there = rotations.to_vector(
        rotations.multiply(rotations.inverse(found.motion.rotations[:, body]), filtered.rotations[:, body])
    ).astype(np.float64)
    # A quaternion's numbers change by half of the angle.
    shares = _kept(0.5 * there, turns, np.arange(len(body)), measured)
    turned = rotations.slerp(
        found.motion.rotations[:, body], filtered.rotations[:, body], np.broadcast_to(shares, there.shape[:2])
    )
    start = _with_turns(filtered, turned.astype(np.float64), body, free, plan, measured)
    return fit_to_places(start, target, body, plan.joint, free)


def _trembling(motion: Motion, body: Indices, noise: Float64) -> NDArray[np.bool_]:
    """Return which joints `(J,)` of the body tremble by themselves; noise: `(B,)` of their rotations.

    What a turn moves counts, so that noise on all places alike is noise of all joints. Joints with none below may all
    turn: they move no other.
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


def _kept(difference: Float64, own: Smoothed, joints: Indices, measured: slice) -> Float64:
    """Return how much `(B,)` of the way from the examples to the filtered signals is believed.

    difference: `(T, B, 3)` from the former to the latter; own: what the filters say of their error, of these joints.
    """
    error = own.risk + own.values.shape[2] * np.square(BIAS * own.noise)
    return believed_shares(np.square(difference)[measured].sum(axis=2).mean(axis=0), error[joints])


def _with_turns(
    motion: Motion, turns: Float64, body: Indices, free: NDArray[np.bool_], plan: RootPlan, measured: slice
) -> Motion:
    """Return the motion with other rotations `(T, B, 4)` of the free joints of the body, and its moves filtered."""
    channels = {name: values.copy() for name, values in motion.channels().items()}
    channels["rotations"][:, body[free[body]]] = rotations.normalize(turns[:, free[body]])
    channels["rotations"] = rotations.make_continuous(channels["rotations"])
    others = np.isin(motion.translated, body) & (motion.translated != plan.joint)
    if others.any():
        moved = smoothed(motion.translations[:, others].astype(np.float64), measured)
        channels["translations"][:, others] = moved.values
    return motion.with_channels(channels)
