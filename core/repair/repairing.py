# SPDX-License-Identifier: GPL-3.0-or-later
"""Repair of a motion's flaws, each only at its own frames and joints; everything else stays unchanged."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..feet.planting import Standing
from ..infill import CONTEXT_SECONDS
from ..library.indexed_motions import IndexedMotions
from ..motion.comparing import check_comparable
from ..motion.motion import Motion
from ..motion.spans import Mask, spans
from ..progress import Progress, report_progress
from .bridging import bridged
from .denoising import denoised
from .flaws import OF_WEIGHT, Flaw, FlawKind, marked_frames
from .naturalizing import drawn_to
from .slides import without_slides
from .weight.balancing import with_balance
from .weight.bodies import body_on_ground
from .weight.falling import KeptInFlight, with_true_flight

BRIDGED = frozenset((FlawKind.SPIKE, FlawKind.LOST))
"""Kinds of flaws whose frames are bridged."""


def repair(
    motion: Motion,
    flaws: Sequence[Flaw],
    standing: Standing,
    strength: float = 1.0,
    library: IndexedMotions | None = None,
    allowed: NDArray[np.bool_] | None = None,
    progress: Progress | None = None,
    *,
    kept: KeptInFlight = KeptInFlight.DURATION,
    gravity: float | None = None,
) -> Motion:
    """Return a motion with its flaws repaired; frames and joints without flaws stay the same to the last bit.

    Spikes and lost joints are bridged; jitter is filtered, and with a library also drawn to its clips; sliding feet are
    planted. Flights get a parabola of gravity, and the pelvis of a body that would topple moves over its feet; both
    only where the flaw has all joints. standing: the motion's feet and root, as `standing_of` finds them. strength: 0
    changes nothing, 1 repairs fully. allowed: `(M,)` the motions of the library that may be used; None is all.
    progress: see `core.Progress`. kept: the quantity of flights that stays. gravity: see find_flaws.
    Raises InputError for a strength outside of 0 to 1, flaws outside of the motion, and a library at another rate or on
    another skeleton.

    >>> from genmm_addon.core.feet import standing_of
    >>> flaw = Flaw(FlawKind.SPIKE, 10, 11, (1,))
    >>> fixed = repair(swing, [flaw], standing_of(swing))
    >>> bool(np.array_equal(fixed.rotations[12:], swing.rotations[12:]))
    True
    """
    _check(motion, flaws, strength, library)
    flaws = tuple(flaws)
    if strength == 0.0 or not flaws:
        return motion
    missing = marked_frames(motion, tuple(flaw for flaw in flaws if flaw.kind in BRIDGED))
    goal = bridged(motion, missing, library, allowed) if missing.any() else motion
    trembling = marked_frames(motion, tuple(flaw for flaw in flaws if flaw.kind is FlawKind.JITTER))
    stretches = spans(np.asarray(trembling.any(axis=1)))
    for number, (first, end) in enumerate(stretches):
        report_progress(progress, number / len(stretches))
        goal = _calmed(goal, trembling, (first, end), standing, library, allowed)
    sliding = marked_frames(motion, tuple(flaw for flaw in flaws if flaw.kind is FlawKind.SLIDE))
    if sliding.any():
        goal = drawn_to(goal, without_slides(goal, standing, sliding), sliding.astype(np.float64))
    others = tuple(flaw for flaw in flaws if flaw.kind not in OF_WEIGHT)
    drawn = drawn_to(motion, goal, strength * marked_frames(motion, others)) if others else motion
    return _with_weight(drawn, flaws, standing, strength, kept, gravity)


def _with_weight(
    motion: Motion,
    flaws: Sequence[Flaw],
    standing: Standing,
    strength: float,
    kept: KeptInFlight,
    gravity: float | None,
) -> Motion:
    """Return the motion with its flights and stands repaired; the other repairs are done."""
    whole = [flaw for flaw in flaws if flaw.kind in OF_WEIGHT and len(flaw.joints) == len(motion.skeleton.names)]
    if not whole or not standing.feet:
        return motion
    body = body_on_ground(motion, standing, gravity)
    for flaw in whole:
        span = flaw.first, flaw.last
        if flaw.kind is FlawKind.FLIGHT:
            motion = with_true_flight(motion, body, span, kept, strength)
        else:
            motion = with_balance(motion, body, span, strength)
    return motion


def _calmed(
    motion: Motion,
    marked: Mask,
    span: tuple[int, int],
    standing: Standing,
    library: IndexedMotions | None,
    allowed: NDArray[np.bool_] | None,
) -> Motion:
    """Return the motion without the noise of the joints that are marked `(T, J)` in a span of frames."""
    first, end = span
    beside = round(CONTEXT_SECONDS * motion.frames_per_second)
    start, stop = max(first - beside, 0), min(end + beside, motion.frames)
    window = motion.slice(start, stop)
    measured, joints = slice(first - start, end - start), np.asarray(marked[first:end].any(axis=0))
    calm = denoised(window, standing.plan, library, allowed, measured, joints)
    weights = marked[start:stop].astype(np.float64)
    weights[: first - start], weights[end - start :] = 0.0, 0.0
    drawn = drawn_to(window, calm, weights)
    channels = {name: values.copy() for name, values in motion.channels().items()}
    for name, values in drawn.channels().items():
        channels[name][start:stop] = values
    return motion.with_channels(channels)


def _check(motion: Motion, flaws: Sequence[Flaw], strength: float, library: IndexedMotions | None) -> None:
    motion.check_values("The motion to repair")
    if not 0.0 <= strength <= 1.0:
        raise InputError("The strength must lie between 0, unchanged, and 1, fully repaired.")
    joints = motion.rotations.shape[1]
    for flaw in flaws:
        if not (0 <= flaw.first <= flaw.last < motion.frames and all(0 <= joint < joints for joint in flaw.joints)):
            raise InputError(f"A flaw lies outside of the motion's {motion.frames} frames; choose another.")
    if library is not None:
        check_comparable(motion, library.index.space.joints, library.index.frames_per_second, "the examples")
