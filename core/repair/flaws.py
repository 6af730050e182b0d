# SPDX-License-Identifier: GPL-3.0-or-later
"""Flaws of a motion that no living body has: spikes, jitter, lost markers, sliding feet, and defiance of gravity."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ..feet.planting import Standing
from ..motion.motion import Motion
from ..motion.spans import Mask, spans
from .frozen import frozen_frames
from .slides import slides
from .trembling import JITTER_SECONDS, jittering_frames, spike_frames
from .weight.balancing import toppling_stands
from .weight.bodies import BodyOnGround, body_on_ground
from .weight.falling import wrong_flights


class FlawKind(Enum):
    """The kinds of flaws.

    >>> FlawKind("LOST").name
    'LOST'
    """

    SPIKE = "SPIKE"
    """A few frames far from the motion before and after them."""
    JITTER = "JITTER"
    """Trembling from frame to frame."""
    LOST = "LOST"
    """Values that stay exactly the same and then jump, because a marker was lost."""
    SLIDE = "SLIDE"
    """A foot that slides while it stands."""
    FLIGHT = "FLIGHT"
    """A flight whose center of mass does not follow gravity: a jump that floats or drops."""
    BALANCE = "BALANCE"
    """A quiet stand whose center of mass is outside of the support, so that the body would topple."""


@dataclass(frozen=True)
class Flaw:
    """A flaw of some joints from frame `first` to `last`, both included, counted from 0.

    amount: of a flight, its acceleration as a multiple of gravity; of a stand, the distance of its center of mass from
    the support as a share of the size; 0 for other kinds.

    >>> Flaw(FlawKind.SPIKE, 10, 11, (1,)).last
    11
    """

    kind: FlawKind
    first: int
    last: int
    joints: tuple[int, ...]
    amount: float = 0.0


ALL_KINDS = frozenset(FlawKind)
"""All kinds of flaws."""


OF_WEIGHT = frozenset((FlawKind.FLIGHT, FlawKind.BALANCE))
"""Kinds of flaws of a body with weight, which are repaired as a whole, with all joints."""


def find_flaws(
    motion: Motion, standing: Standing, kinds: frozenset[FlawKind] = ALL_KINDS, gravity: float | None = None
) -> tuple[Flaw, ...]:
    """Return the flaws of a motion in the order of their first frames; standing: its feet, kinds: those to find.

    gravity: in units per second squared; None: that of the motion's flights if it is plausible for the body's size,
    else by the size.
    Raises InputError for values that are not finite.

    >>> from genmm_addon.core.feet import standing_of
    >>> find_flaws(swing, standing_of(swing))
    ()
    """
    motion.check_values("The motion to repair")
    flaws = _of_curves(motion, standing) if kinds - OF_WEIGHT else []
    if kinds & OF_WEIGHT:
        flaws += _of_weight(motion, body_on_ground(motion, standing, gravity))
    chosen = [flaw for flaw in flaws if flaw.kind in kinds]
    return tuple(sorted(chosen, key=lambda flaw: (flaw.first, flaw.kind.value, flaw.joints)))


def _flaws(kind: FlawKind, marked: Mask) -> list[Flaw]:
    """Return the flaws at which joints are marked `(T, J)`; joints with the same frames share a flaw."""
    together: dict[tuple[int, int], list[int]] = {}
    for joint in np.flatnonzero(marked.any(axis=0)).tolist():
        for span in spans(marked[:, joint]):
            together.setdefault(span, []).append(joint)
    return [Flaw(kind, first, end - 1, tuple(joints)) for (first, end), joints in together.items()]


def _of_curves(motion: Motion, standing: Standing) -> list[Flaw]:
    """Return the spikes, jitter, lost joints and slides of a motion."""
    lost = frozen_frames(motion)
    spikes = spike_frames(motion) & ~lost
    jitter = jittering_frames(motion, lost | spikes)
    shortest = max(2, round(JITTER_SECONDS * motion.frames_per_second))
    return [
        *_flaws(FlawKind.SPIKE, spikes),
        *(flaw for flaw in _flaws(FlawKind.JITTER, jitter) if flaw.last - flaw.first + 1 >= shortest),
        *_flaws(FlawKind.LOST, lost),
        *(Flaw(FlawKind.SLIDE, first, last, joints) for first, last, joints in slides(motion, standing)),
    ]


def _of_weight(motion: Motion, body: BodyOnGround) -> list[Flaw]:
    """Return the flights and stands that are wrong, with the frames that their repair may change."""
    joints = tuple(range(len(motion.skeleton.names)))
    found = (FlawKind.FLIGHT, wrong_flights(motion, body)), (FlawKind.BALANCE, toppling_stands(motion, body))
    return [Flaw(kind, first, last, joints, amount) for kind, wrong in found for first, last, amount in wrong]


def marked_frames(motion: Motion, flaws: tuple[Flaw, ...]) -> NDArray[np.bool_]:
    """Return a mask `(T, J)` of the joints and frames that have any of the flaws.

    >>> int(marked_frames(swing, (Flaw(FlawKind.SPIKE, 10, 11, (1,)),)).sum())
    2
    """
    marked = np.zeros(motion.rotations.shape[:2], bool)
    for flaw in flaws:
        marked[flaw.first : flaw.last + 1, list(flaw.joints)] = True
    return marked
