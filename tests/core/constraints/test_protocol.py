# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of constraints: a new kind is one class, and the synthesis calls its methods."""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from motions import walker, waver
from numpy.typing import NDArray

from genmm_addon.core import Constraints, InputError, Loop, Motion, Prepared, prepare, synthesize
from genmm_addon.core.constraints import Constraint
from genmm_addon.core.constraints.constraint import Composed, Span, Task, Walk
from genmm_addon.core.examples.part_plans import PartPlan
from genmm_addon.core.planning.frame_cost import FrameCost, PathCosts

FRAMES = 200
STEPS = [name for name in vars(Constraint) if callable(getattr(Constraint, name)) and not name.startswith("_")]


@cache
def prepared_of(name: str) -> Prepared:
    return prepare([{"walker": walker, "waver": waver}[name]()])


def made(constraint: Constraint, name: str = "walker", loop: Loop = Loop.OFF, seed: int = 1) -> Any:
    constraints = Constraints(loop=loop, others=(constraint,))
    return synthesize(prepared_of(name), FRAMES, constraints=constraints, seed=seed)


@dataclass(frozen=True)
class FirstHalf(Constraint):
    """A constraint to the first half of the example, apart from a crossfade at its end."""

    def path_costs(self, task: Task, plan: PartPlan, initial_path: NDArray[np.int64], costs: PathCosts) -> PathCosts:
        total = len(plan.source_frames)
        table = np.where(np.arange(total) < total // 2, 0.0, 8.0).astype(np.float32)[None]
        own = FrameCost(table, np.zeros(len(initial_path), np.int64))
        return replace(costs, frame_costs=(*costs.frame_costs, own))


@dataclass(frozen=True)
class Shifted(Constraint):
    """A constraint that moves the root sideways from its path."""

    by: float

    def rooted(self, task: Task, walk: Walk) -> Walk:
        ground = walk.track.ground + np.array([self.by, 0.0, 0.0], np.float32)
        return replace(walk, track=replace(walk.track, ground=ground), notes=(*walk.notes, "Shifted."))


@dataclass(frozen=True)
class Recorded(Constraint):
    """A constraint that records the called methods, in the order of their first calls."""

    steps: list[str] = field(default_factory=list)

    def __getattribute__(self, name: str) -> Any:
        if name in STEPS and name not in object.__getattribute__(self, "steps"):
            object.__getattribute__(self, "steps").append(name)
        return object.__getattribute__(self, name)


def same(one: Motion, other: Motion) -> bool:
    return all(np.array_equal(values, other.channels()[name]) for name, values in one.channels().items())


@pytest.mark.parametrize("name", ["walker", "waver"])
@pytest.mark.parametrize("loop", list(Loop))
def test_a_constraint_that_asks_for_nothing_changes_no_byte(name: str, loop: Loop) -> None:
    free = synthesize(prepared_of(name), FRAMES, constraints=Constraints(loop=loop), seed=1)
    assert same(free.motion, made(Constraint(), name, loop).motion)


def test_cost_per_frame_determines_the_frames_shown() -> None:
    half = walker().frames // 2
    free = synthesize(prepared_of("walker"), FRAMES, seed=1)
    assert np.mean(free.source_frames < half) < 0.8
    assert np.mean(made(FirstHalf()).source_frames < half) > 0.95


def test_root_correction_and_its_note_reach_the_result() -> None:
    free, shifted = synthesize(prepared_of("walker"), FRAMES, seed=1), made(Shifted(2.0))
    moved = shifted.motion.pose()[1] - free.motion.pose()[1]
    assert np.abs(moved - [2.0, 0.0, 0.0]).max() < 1e-4
    assert shifted.notes == ("Shifted.",)


def test_a_motion_is_finished_after_all_else() -> None:
    class Frozen(Constraint):
        def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
            return replace(composed, motion=composed.motion.take(np.zeros(task.frames, np.int64)))

    motion = made(Frozen()).motion
    assert np.ptp(motion.rotations, axis=0).max() == 0


def test_constraint_can_refuse_a_task_and_can_be_replaced_when_bound() -> None:
    class Refusing(Constraint):
        def check(self, task: Task) -> None:
            raise InputError("Not with me.")

    class Bound(Constraint):
        def bound(self, task: Task) -> Constraint:
            return FirstHalf()

    with pytest.raises(InputError, match="Not with me"):
        made(Refusing())
    assert same(made(Bound()).motion, made(FirstHalf()).motion)


def test_steps_are_called_in_the_order_of_the_protocol() -> None:
    recorded = Recorded()
    made(recorded)
    # Called for the shortlist of hundreds of examples, by constraints for places, on ground and of rates, where
    # stretches are regenerated, and for results of one cycle.
    otherwise = ("among", "climb", "paced", "route", "at_rates", "why_not_replaced", "over", "posed_moments")
    assert recorded.steps == [step for step in STEPS if step not in otherwise]


def test_a_loop_acts_after_all_other_constraints() -> None:
    others = (FirstHalf(), Shifted(1.0))
    kinds = [type(one).__name__ for one in Constraints(loop=Loop.TRAVEL, others=others)]
    assert kinds == ["FirstHalf", "Shifted", "LoopConstraint"]
