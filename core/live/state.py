# SPDX-License-Identifier: GPL-3.0-or-later
"""State of a steered character between two steps; its size does not depend on their number."""

from dataclasses import dataclass

from ..arrays import Float64
from ..motion.motion import Motion
from .calm_limbs import CalmLimbs
from .candidates import Candidates
from .inertia import Decay, Spring
from .pose import Pose
from .standing_feet import StandingFeet


@dataclass(frozen=True, eq=False)
class LiveState:
    """All values that a step needs from the steps before it.

    frame: of the examples, fractional. pace: frames of the examples per step. place: `(2,)` of the root on the ground,
    in sizes. heading: in radians. speed: `(3,)` movement, relative to the heading, and turn of the last step. velocity,
    facing: springs that follow the wish, in sizes and radians per second. ease: remaining difference of the last
    transition in the pose. root_ease: the same in `speed`. displayed, before: the last two poses, without planted feet.
    given: the last frame, with planted feet and calm limbs. feet, limbs: their states in it. candidates: the frames at
    which motion may continue. changed: steps since the last transition. frozen: whether the frame is
    frozen with all feet on the ground, since no motion stands.

    >>> state = Controller.of([swing]).start()
    >>> isinstance(state, LiveState), state.place.tolist()
    (True, [0.0, 0.0])
    """

    frame: float
    pace: float
    place: Float64
    heading: float
    speed: Float64
    velocity: Spring
    facing: Spring
    ease: Decay
    root_ease: Decay
    displayed: Pose
    before: Pose
    given: Motion
    feet: StandingFeet
    limbs: CalmLimbs
    candidates: Candidates
    changed: int
    frozen: bool = False
