# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of the action that a motion shows, with values and ranges of their attributes."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Float64, Int64
from ...computation import computing
from ...errors import InputError
from ...feet.calm_paths import ALLOWED
from ...feet.two_bone_ik import knee_of
from ...library.indexed_motions import IndexedMotions, index_motions
from ...motion.comparing import ROUNDING
from ...motion.motion import Motion, joint_accelerations
from ...motion.piecewise import CLIPS, evenly
from ...progress import Progress, report_progress
from ..registering import SAME_ACTION, check_actions, fitting_costs
from .body import AttributeBody, body_of
from .kinds import SPEED, STEP_LENGTH, Attribute
from .measuring import BODY_ATTRIBUTES, measured
from .warping import warp

HALVINGS = 4
"""Number of times that the part of a range in which an edit may end is halved: to a sixteenth."""
PIECE_SECONDS = 4.0
"""Usual length, in seconds, of the pieces of clips whose values are measured."""


@dataclass(frozen=True)
class Range:
    """Lowest and highest value of an attribute in the examples.

    >>> Range(0.2, 0.5).contains(0.6)
    False
    """

    lowest: float
    highest: float

    def contains(self, value: float) -> bool:
        """Return whether a value is inside, up to rounding: sliders have single precision."""
        slack = ROUNDING * max(abs(self.lowest), abs(self.highest))
        return self.lowest - slack <= value <= self.highest + slack


@dataclass(frozen=True, eq=False)
class ActionExamples:
    """A motion, and the motions of a library that show the same action; numbers: `(M,)` of these in the library.

    >>> isinstance(find_examples(swing, index_motions([swing])), ActionExamples)
    True
    """

    content: Motion
    motions: tuple[Motion, ...]
    numbers: Int64
    body: AttributeBody

    @cached_property
    def own_values(self) -> dict[str, float]:
        """Return the motion's values of all body attributes that it has, by name."""
        values = {attribute.name: measured(self.content, self.body, attribute) for attribute in BODY_ATTRIBUTES}
        return {name: value for name, value in values.items() if value is not None}

    def own_value(self, attribute: Attribute) -> float:
        """Return the value of the motion. Raises InputError if it does not have the attribute."""
        value = self.own_values.get(attribute.name) if not attribute.bone else self._of_bone(attribute)
        if value is None:
            raise InputError(f"The motion has no {attribute.label}; choose another attribute.")
        return value

    def values(self, attribute: Attribute) -> tuple[Float64, ...]:
        """Return the values of the pieces of each example; an example without the attribute has none."""
        measurements = [[measured(piece, self.body, attribute) for piece in _pieces(motion)] for motion in self.motions]
        return tuple(
            np.array([value for value in of_motion if value is not None], np.float64) for of_motion in measurements
        )

    def recorded_range(self, attribute: Attribute) -> Range:
        """Return the range of an attribute over the examples, the motion itself included.

        Raises InputError if the motion does not have the attribute.
        """
        every = np.concatenate([[self.own_value(attribute)], *self.values(attribute)])
        return Range(float(every.min()), float(every.max()))

    def range(self, attribute: Attribute) -> Range:
        """Return the part of the range to which the motion can be edited with knees as calm as those of the examples.

        Raises InputError if the motion does not have the attribute.
        """
        recorded = self.recorded_range(attribute)
        if attribute.kind not in (SPEED, STEP_LENGTH) or not self.body.steps:
            return recorded
        return Range(*(self._reached(attribute, end) for end in (recorded.lowest, recorded.highest)))

    def ranges(
        self, attributes: Iterable[Attribute] = BODY_ATTRIBUTES, progress: Progress | None = None
    ) -> dict[str, Range]:
        """Return the ranges of those attributes that the motion has, by name; progress: see `core.Progress`.

        Raises InputError for a bone without the attribute; Cancelled as `progress` asks.
        """
        attributes, present = list(attributes), dict[str, Range]()
        for number, attribute in enumerate(attributes):
            report_progress(progress, number / len(attributes))
            if attribute.bone or attribute.name in self.own_values:
                present[attribute.name] = self.range(attribute)
        return present

    def _reached(self, attribute: Attribute, end: float) -> float:
        """Return the value nearest to the end of a range at which a warp keeps the knees calm, to a sixteenth."""
        if self._is_calm(attribute, end):
            return end
        calm, quick = self.own_value(attribute), end
        for _ in range(HALVINGS):
            middle = (calm + quick) / 2
            calm, quick = (middle, quick) if self._is_calm(attribute, middle) else (calm, middle)
        return calm

    def _is_calm(self, attribute: Attribute, value: float) -> bool:
        """Return whether no knee accelerates visibly more than in the examples after a warp to a value."""
        warped = warp(self.content, self.body, attribute, value).motion
        knees = [knee_of(warped, foot) for foot in self.body.feet]
        most = float(joint_accelerations(warped, knees).max(initial=0.0))
        return most <= ALLOWED * self.body.standing.knees.quickest

    def _of_bone(self, attribute: Attribute) -> float | None:
        return measured(self.content, self.body, attribute)


@computing()
def find_examples(content: Motion, library: IndexedMotions, progress: Progress | None = None) -> ActionExamples:
    """Return the motions of a library that show the same action as a motion.

    progress: see `core.Progress`. Raises InputError for another skeleton or rate; Cancelled as `progress` asks.

    >>> find_examples(swing, index_motions([swing])).numbers.tolist()
    [0]
    """
    check_actions(content, library)
    looked_at = evenly(len(library.motions), CLIPS)
    candidates = IndexedMotions([library.motions[number] for number in looked_at], library.index, library.standing)
    numbers = looked_at[fitting_costs(content, candidates, progress) <= SAME_ACTION]
    motions = tuple(library.motions[number] for number in numbers)
    # Feet and ground are those of this action: in other motions of the library, such as sitting, there may be none.
    body = body_of(index_motions([content, *motions], library.index.space.plan.joint))
    return ActionExamples(content, motions, numbers, body)


def _pieces(motion: Motion) -> Iterable[Motion]:
    count = min(max(1, round(motion.frames / motion.frames_per_second / PIECE_SECONDS)), motion.frames)
    edges = np.linspace(0, motion.frames, count + 1).round().astype(int).tolist()
    return [motion.slice(first, end) for first, end in itertools.pairwise(edges)]
