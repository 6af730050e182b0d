# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a character that is steered, between two steps; its size does not depend on how many there were."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.motion import Motion
from .calm_limbs import CalmLimbs
from .candidates import Candidates
from .inertia import Decay, Spring
from .pose import Pose
from .standing_feet import StandingFeet

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LiveState:
    """All that a step needs of the steps before it.

    frame: of the examples, that is shown, between two frames maybe; pace: frames of the examples a step.
    place: `(2,)` the root's on the ground, in sizes of the skeleton; heading: radians. speed: `(3,)` its way, seen from
    the heading, and its turn, in the step before. velocity, facing: what the wish makes of them, sizes and radians a
    second. ease: what is left of the last transition in the pose; root_ease: the same in `speed`.
    displayed, before: the last two poses, without planted feet. given: the last frame, with them and calm limbs.
    feet, limbs: how these were in it.
    changed, searched: steps since the last transition, and since the last search; asked: `(W,)` the way of that search.

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
    searched: int
    asked: Float64
