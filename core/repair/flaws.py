# SPDX-License-Identifier: GPL-3.0-or-later
"""Flaws of a motion that no living body has: spikes, jitter, lost markers, sliding feet, defiance of gravity, and limbs
through the body.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..arrays import Float64, Mask
from ..computation import computing
from ..evaluation.body.capsules import Capsules
from ..evaluation.body.segments import BodyModel
from ..feet.climbs import plan_of_climb
from ..feet.planting import Standing
from ..motion.motion import Motion
from ..motion.spans import spans
from .bridging import calmed_by_bridging
from .joint_flaws import JITTER_SECONDS, frozen_frames, jittering_frames, spike_frames
from .penetrations.finding import limbs_through_body
from .slides import slides
from .weight.balancing import toppling_stands
from .weight.bodies import BodyOnGround, body_on_ground
from .weight.braking import impossible_braking
from .weight.falling import wrong_flights
from .weight.landing import stiff_landings


class FlawKind(Enum):
    """The kinds of flaws.

    title, text: for the user. amounts: format of a flaw's amount and bones; "" if it has no amount.

    >>> FlawKind("LOST").title
    'Lost Markers'
    """

    SPIKE = "SPIKE", "Spikes", "A few frames far off the motion before and after", ""
    JITTER = "JITTER", "Jitter", "Trembling from frame to frame", ""
    LOST = "LOST", "Lost Markers", "Values that stay exactly the same and then jump", ""
    SLIDE = "SLIDE", "Slides", "Feet that slide while they stand", ""
    FLIGHT = "FLIGHT", "Flights", "Jumps that float, or that drop faster than gravity", "{amount:.2f} g"
    BALANCE = "BALANCE", "Balance", "Quiet stands whose center of mass is outside of the feet", "{amount:.0%} off"
    PENETRATION = "PENETRATION", "Penetrations", "Arms and legs that go through the body", "{amount:.1%} deep: {bones}"
    LANDING = "LANDING", "Landings", "Falls that end on stiff legs, with more force than legs carry", "{amount:.1f} g"
    BRAKING = "BRAKING", "Braking", "Stops and starts that are harder than feet allow", "{amount:.0%} off"

    title: str
    text: str
    amounts: str

    def __new__(cls, value: str, title: str, text: str, amounts: str) -> "FlawKind":
        """Return the kind with a value, which files hold."""
        kind = object.__new__(cls)
        kind._value_, kind.title, kind.text, kind.amounts = value, title, text, amounts
        return kind

    @property
    def word(self) -> str:
        """Return the name of the kind on the command line.

        >>> FlawKind.LOST.word
        'lost'
        """
        return self.title.split()[0].lower()


@dataclass(frozen=True)
class Flaw:
    """A flaw of some joints from frame `first` to `last`, both included, counted from 0.

    amount: of a flight, its acceleration as a multiple of gravity; of a landing, the mean force on the feet as a
    multiple of the weight; of a stop or start, the distance from the support at which the ground would have to push, as
    a share of the size; of a stand, that of its center of mass; of a penetration, its depth beyond the usual one,
    likewise; 0 for other kinds.

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


Finder = Callable[[Motion, BodyOnGround], list[tuple[int, int, tuple[int, ...], float]]]
"""A function that returns the first and last frame that the repair of each flaw may change, its joints and amount."""
FINDERS: dict[FlawKind, Finder] = {
    FlawKind.FLIGHT: wrong_flights,
    FlawKind.LANDING: stiff_landings,
    FlawKind.BRAKING: impossible_braking,
    FlawKind.BALANCE: toppling_stands,
    FlawKind.PENETRATION: limbs_through_body,
}
"""The finder of each kind, in the order of their repair: limbs go out of the body where it is then."""
OF_WEIGHT = frozenset(FINDERS)
"""Kinds of flaws of a body with weight and flesh, which are repaired with all of their frames and joints."""
OF_GROUND = OF_WEIGHT - {FlawKind.PENETRATION}
"""Kinds of flaws of a body on level ground, which are not looked for in a climb."""


@computing()
def find_flaws(
    motion: Motion,
    standing: Standing,
    kinds: frozenset[FlawKind] = ALL_KINDS,
    gravity: float | None = None,
    usual: Float64 | None = None,
    *,
    capsules: Capsules | None = None,
    model: BodyModel | None = None,
) -> tuple[Flaw, ...]:
    """Return the flaws of a motion in the order of their first frames; standing: its feet, kinds: those to find.

    gravity: in units per second squared; None: that of the motion's flights if it is plausible for the body's size,
    else by the size. usual: depths `(P,)` of limbs in the body that are no flaw, see `usual_depths`; None: those of
    the rest pose, and of half of the motion. capsules, model: of the body's skin, see `capsules_of_skin` and
    `body_model_of_skin`; None: of its bones.
    Raises InputError for values that are not finite.

    >>> from genmm_addon.core.feet import standing_of
    >>> find_flaws(swing, standing_of(swing))
    ()
    """
    motion.check_values("The motion to repair")
    if plan_of_climb(motion) is not None:
        kinds -= OF_GROUND
    flaws = _of_curves(motion, standing) if kinds - OF_WEIGHT else []
    if kinds & OF_WEIGHT:
        body = body_on_ground(motion, standing, gravity, usual, capsules, model)
        flaws += [Flaw(kind, *wrong) for kind in kinds & OF_WEIGHT for wrong in FINDERS[kind](motion, body)]
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
    lost = calmed_by_bridging(motion, frozen_frames(motion))
    spikes = calmed_by_bridging(motion, spike_frames(motion) & ~lost)
    jitter = jittering_frames(motion, lost | spikes)
    shortest = max(2, round(JITTER_SECONDS * motion.frames_per_second))
    return [
        *_flaws(FlawKind.SPIKE, spikes),
        *(flaw for flaw in _flaws(FlawKind.JITTER, jitter) if flaw.last - flaw.first + 1 >= shortest),
        *_flaws(FlawKind.LOST, lost),
        *(Flaw(FlawKind.SLIDE, first, last, joints) for first, last, joints in slides(motion, standing)),
    ]


def marked_frames(motion: Motion, flaws: tuple[Flaw, ...]) -> Mask:
    """Return a mask `(T, J)` of the joints and frames that have any of the flaws.

    >>> int(marked_frames(swing, (Flaw(FlawKind.SPIKE, 10, 11, (1,)),)).sum())
    2
    """
    marked = np.zeros(motion.rotations.shape[:2], bool)
    for flaw in flaws:
        marked[flaw.first : flaw.last + 1, list(flaw.joints)] = True
    return marked
