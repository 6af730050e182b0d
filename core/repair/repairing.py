# SPDX-License-Identifier: GPL-3.0-or-later
"""Repair of a motion's flaws, each only at its own frames and joints; everything else stays unchanged."""

from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import Float64, Mask
from ..computation import computing
from ..errors import InputError
from ..evaluation.body.capsules import Capsules
from ..evaluation.body.segments import BodyModel
from ..evaluation.body.stands import find_balance
from ..feet.planting import Standing
from ..feet.soft_footing import standing_of
from ..infill import CONTEXT_SECONDS
from ..library.indexed_motions import IndexedMotions
from ..motion.comparing import check_comparable
from ..motion.motion import Motion
from ..motion.skeleton import SAME_PLACE
from ..motion.spans import spans
from ..progress import Progress, report_progress
from .bridging import bridged
from .calmness import is_calm
from .denoising import denoised
from .flaws import FINDERS, OF_WEIGHT, Flaw, FlawKind, find_flaws, marked_frames
from .naturalizing import drawn_to
from .penetrations.pushing import with_limbs_outside
from .slides import without_slides
from .weight.balancing import with_balance
from .weight.bodies import BodyOnGround, body_on_ground
from .weight.braking import with_longer_braking
from .weight.falling import KeptInFlight, with_true_flight
from .weight.landing import with_give

BRIDGED = frozenset((FlawKind.SPIKE, FlawKind.LOST))
"""Kinds of flaws whose frames are bridged."""


@computing()
def repair(
    motion: Motion,
    flaws: Sequence[Flaw],
    standing: Standing,
    strength: float = 1.0,
    library: IndexedMotions | None = None,
    progress: Progress | None = None,
    *,
    kept: KeptInFlight = KeptInFlight.DURATION,
    gravity: float | None = None,
    usual: Float64 | None = None,
    capsules: Capsules | None = None,
    model: BodyModel | None = None,
) -> Motion:
    """Return a motion with its flaws repaired; frames and joints without flaws stay the same to the last bit.

    Spikes and lost joints are bridged; jitter is filtered, and with a library also drawn to its clips; sliding feet are
    planted. Flights get a parabola of gravity, legs give after stiff landings, bodies brake and start over a longer
    time where that is too hard, and the pelvis of a body that would topple moves over its feet; all only where the flaw
    has all joints. Limbs are pushed out of the body. standing: the motion's feet and root, as `standing_of` finds them.
    strength: 0 changes nothing, 1 repairs fully. progress: see `core.Progress`. kept: the quantity of flights that
    stays. gravity, usual, capsules, model: see find_flaws.
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
    goal = bridged(motion, missing, library) if missing.any() else motion
    trembling = marked_frames(motion, tuple(flaw for flaw in flaws if flaw.kind is FlawKind.JITTER))
    stretches = spans(np.asarray(trembling.any(axis=1)))
    for number, (first, end) in enumerate(stretches):
        report_progress(progress, number / len(stretches))
        goal = _calmed(goal, trembling, (first, end), standing, library)
    goal = _with_standing_feet(goal, tuple(flaw for flaw in flaws if flaw.kind is FlawKind.SLIDE), standing)
    others = tuple(flaw for flaw in flaws if flaw.kind not in OF_WEIGHT)
    drawn = drawn_to(motion, goal, strength * marked_frames(motion, others)) if others else motion
    whole = [flaw for kind in FINDERS for flaw in flaws if flaw.kind is kind]
    if not whole:
        return drawn
    body = body_on_ground(drawn, standing, gravity, usual, capsules, model)
    return _calmly_mended(drawn, body, whole, lambda made, flaw: _mended(made, body, flaw, strength, kept))


@computing()
def in_balance_as(source: Motion, brought: Motion) -> Motion:
    """Return a motion brought to another skeleton in balance while quiet, where the body of its source is as well.

    Trunks and arms that are longer relative to the legs take the center of mass out of the support, as in bows. The
    pelvis moves back over the feet, and trunk and arms go along. Stands as far outside as the source's, relative to the
    sizes, stay as they are. source: of as many frames.

    >>> in_balance_as(swing, swing) is swing
    True
    """
    standing = standing_of(brought)
    toppling = find_flaws(brought, standing, frozenset({FlawKind.BALANCE}))
    if not toppling or standing.plan.joint not in brought.translated:
        return brought
    outside = find_balance([source], standing_of(source)).outside(source)[0] / source.skeleton.size + SAME_PLACE
    body = body_on_ground(brought, standing)
    return _calmly_mended(
        brought,
        body,
        [flaw for flaw in toppling if flaw.amount > outside[flaw.first : flaw.last + 1].max()],
        lambda made, flaw: with_balance(made, body, (flaw.first, flaw.last), 1.0, hands_stay=False),
    )


def _calmly_mended(
    motion: Motion, body: BodyOnGround, flaws: Sequence[Flaw], mend: Callable[[Motion, Flaw], Motion]
) -> Motion:
    """Return the motion with each flaw mended, one after another, except where that would make a joint jerk."""
    for flaw in flaws:
        made = mend(motion, flaw)
        if made is not motion and is_calm(body.motion, made, flaw.first, flaw.last):
            motion = made
    return motion


def _with_standing_feet(motion: Motion, slides: tuple[Flaw, ...], standing: Standing) -> Motion:
    """Return a motion without slides, except those that no foot could leave out without a jerk."""
    made = motion
    for _ in range(len(slides)):
        sliding = marked_frames(motion, slides)
        made = drawn_to(motion, without_slides(motion, standing, sliding), sliding.astype(np.float64))
        calm = tuple(flaw for flaw in slides if is_calm(motion, made, flaw.first, flaw.last))
        if len(calm) == len(slides):
            return made
        slides = calm
    return made if slides else motion


def _mended(motion: Motion, body: BodyOnGround, flaw: Flaw, strength: float, kept: KeptInFlight) -> Motion:
    """Return the motion with a flaw of a body with weight or flesh repaired, each kind in its own way.

    Flaws of weight stay where they have only some joints, and in bodies without feet or whose root cannot move.
    """
    span = flaw.first, flaw.last
    if flaw.kind is FlawKind.PENETRATION:
        return with_limbs_outside(motion, body, span, flaw.joints, strength)
    moves = body.standing.plan.joint in motion.translated
    if len(flaw.joints) < len(motion.skeleton.names) or not body.standing.feet or not moves:
        return motion
    if flaw.kind is FlawKind.FLIGHT:
        flown = with_true_flight(motion, body, span, kept, strength)
        if flown is motion:
            return motion
        # A body that falls faster, or from higher, needs more give.
        frames = np.arange(flaw.first, flaw.last + 1)
        given = with_give(flown.take(frames), body, (0, len(frames) - 1), strength)
        return flown.with_frames(frames, given)
    mend = {FlawKind.LANDING: with_give, FlawKind.BRAKING: with_longer_braking, FlawKind.BALANCE: with_balance}
    return mend[flaw.kind](motion, body, span, strength)


def _calmed(
    motion: Motion,
    marked: Mask,
    span: tuple[int, int],
    standing: Standing,
    library: IndexedMotions | None,
) -> Motion:
    """Return the motion without the noise of the joints that are marked `(T, J)` in a span of frames."""
    first, end = span
    beside = round(CONTEXT_SECONDS * motion.frames_per_second)
    start, stop = max(first - beside, 0), min(end + beside, motion.frames)
    window = motion.slice(start, stop)
    measured, joints = slice(first - start, end - start), np.asarray(marked[first:end].any(axis=0))
    calm = denoised(window, standing.plan, library, measured=measured, joints=joints)
    weights = marked[start:stop].astype(np.float64)
    weights[: first - start], weights[end - start :] = 0.0, 0.0
    return motion.with_frames(np.arange(start, stop), drawn_to(window, calm, weights))


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
