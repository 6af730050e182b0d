# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels over time: the tags of the examples that a result shows at given frames."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ..arrays import Float32, Float64, Int64, Mask
from ..errors import InputError
from ..examples.memory.estimates import COST_BYTES, ConstraintBytes
from ..examples.part_plans import PartPlan
from ..examples.transition_graph import Groups
from ..planning.frame_cost import TRUST, FrameCost, PathCosts, UnaryCosts
from ..planning.min_cost_path import min_cost_long_path
from ..planning.segments import Segments
from .constraint import SHORTEST_SHARE, Constraint, Settled, Task
from .pose_targets import AVOIDED_COST

ONE_EXAMPLE_COST = 1.0
"""Cost, in votes, of each stage frame at which a long stretch does not change its example halfway.

Of 60 stretches of 3.3 s out of 757 clips, 48 show one clip without this cost, 21 do with 0.5, 15 with 1, 10 with 2.
The visible transitions of a result are 2.2, 2.4, 2.55 and 2.75.
"""


@dataclass(frozen=True)
class LabelStretch:
    """A stretch of a result, from frame `first` to `last`, inclusive and counted from 0, that shows examples of a tag.

    >>> LabelStretch("style=old", 20, 59).tag
    'style=old'
    """

    tag: str
    first: int
    last: int


@dataclass(frozen=True)
class Labels(Constraint):
    """Labels that a result shows at the frames of some stretches; elsewhere it is free.

    tags: of each example, in the order of the examples. Where stretches overlap, examples with all of their tags are
    shown. `synthesize` raises InputError for a tag that no example has, for stretches outside the result, and for
    overlaps whose tags no example has together.

    >>> labels = Labels(tags=(("style=angry",), ("style=old",)), stretches=(LabelStretch("style=old", 20, 59),))
    >>> two = prepare([swing, swing.slice(10, 60)], settings=Settings(patch_frames=9, facing=Facing.KEEP))
    >>> shown = synthesize(two, 60, constraints=Constraints(others=(labels,))).source_examples[24:, 0]
    >>> bool((shown == 1).all())
    True
    """

    tags: tuple[tuple[str, ...], ...]
    stretches: tuple[LabelStretch, ...]
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(pairs=COST_BYTES)
    why_not_in_crowds: ClassVar[str] = (
        "The characters of a crowd begin at different times; remove the labels and their markers."
    )

    def over(self, first: int, frames: int) -> "Labels":
        """Return the labels within `frames` frames from `first` on, without tags that no example has."""
        known = {tag for tags in self.tags for tag in tags}
        moved = (
            LabelStretch(stretch.tag, max(stretch.first - first, 0), min(stretch.last - first, frames - 1))
            for stretch in self.stretches
            if stretch.tag in known
        )
        return replace(self, stretches=tuple(stretch for stretch in moved if stretch.first <= stretch.last))

    def at_rates(self, planned: Float64) -> "Labels":
        """Return the labels with stretches at the planned frames."""
        at = np.rint(np.append(planned, planned[-1] + 1)).astype(np.int64)
        moved = (
            replace(stretch, first=int(at[stretch.first]), last=int(at[stretch.last + 1]) - 1)
            for stretch in self.stretches
        )
        return replace(self, stretches=tuple(moved))

    def check(self, task: Task) -> None:
        """Raise InputError if the stretches contradict the examples, the length, the parts or each other."""
        count = len(task.prepared.motions)
        if len(self.tags) != count:
            raise InputError(f"Give tags for each of the {count} examples, not for {len(self.tags)}.")
        for stretch in self.stretches:
            self._check_stretch(stretch, task.frames)
        for first, last, tags in self._spans(task.frames):
            examples = self._examples_of(tags)
            where = f"frames {first + 1} to {last + 1} of the motion"
            if not examples:
                raise InputError(
                    f"No example has both {' and '.join(tags)}, which overlap at {where}; move one of the labels."
                )
            for plan in task.prepared.parts:
                drawn = plan.part.examples
                if drawn is not None and not examples & set(drawn):
                    raise InputError(
                        f"The part '{plan.part.name}' draws from no example with {' and '.join(tags)}, which {where} "
                        "show; let it draw from one of them or remove the label."
                    )

    def _check_stretch(self, stretch: LabelStretch, frames: int) -> None:
        if not self._examples_of((stretch.tag,)):
            known = sorted({tag for tags in self.tags for tag in tags})
            others = f"there are {', '.join(known)}" if known else "no example has any"
            raise InputError(f"No example has the tag {stretch.tag}; {others}.")
        if stretch.first > stretch.last:
            raise InputError(f"The label {stretch.tag} ends before it begins; give its first frame first.")
        if stretch.first < 0 or stretch.last >= frames:
            raise InputError(
                f"The label {stretch.tag} stands at frames {stretch.first + 1} to {stretch.last + 1} of the motion, "
                f"which has {frames}; move it into the motion."
            )

    def groups_needed(self, task: Task) -> Groups:
        """Return the examples that each span of tags requires."""
        return tuple(dict.fromkeys(tuple(sorted(self._examples_of(tags))) for _, _, tags in self._spans(task.frames)))

    def among(self, numbers: Int64) -> "Labels":
        """Return the labels with the tags of some of the examples."""
        return replace(self, tags=tuple(self.tags[number] for number in numbers))

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add a cost of frames of other examples, and bring every labeled group within reach of every frame.

        A long stretch that would show one example alone gets a cost by which it shows a second one as well, if its
        label has several.
        """
        length = len(initial_path)
        example = task.prepared.stages[-1].bounds.example_of(plan.source_frames)
        middles = ((np.arange(length) + 0.5) * task.frames / length).astype(np.int64)
        rows, groups = np.full(length, -1), list[tuple[int, ...]]()
        for first, last, tags in self._spans(task.frames):
            rows[(middles >= first) & (middles <= last)] = len(groups)
            groups.append(tuple(sorted(self._examples_of(tags))))
        if not groups:
            return costs
        table = np.array([np.where(np.isin(example, group), 0.0, AVOIDED_COST) for group in groups], np.float32)
        label_cost = FrameCost(table, rows)
        labeled = replace(
            costs,
            frame_costs=(*costs.frame_costs, label_cost),
            shortest=min(costs.shortest, SHORTEST_SHARE),
            groups=(*costs.groups, *dict.fromkeys(groups)),
        )
        second = _second_examples(plan, initial_path, labeled, example, label_cost)
        return labeled if second is None else replace(labeled, frame_costs=(*labeled.frame_costs, second))

    def settled(self, task: Task, plan: PartPlan, settled: Settled, reach: int) -> Settled:
        """Move each transition near a border to the border, where it stays."""
        if not settled.segments.plain:
            return settled
        bounds = task.prepared.bounds
        starts, sources = settled.segments.starts.copy(), settled.segments.sources.copy()
        slides = np.full(len(starts), reach) if settled.slides is None else settled.slides.copy()
        examples, allowed = bounds.example_of(sources), self._allowed(task)
        borders = np.flatnonzero((np.diff(allowed, axis=0) != 0).any(axis=1)) + 1
        ends = np.append(starts[1:], task.frames)
        for index in range(1, len(starts)):
            before, after, start = examples[index - 1], examples[index], int(starts[index])
            near = slice(max(start - 2 * reach, 0), start + 2 * reach)
            if not len(borders) or allowed[near][:, [before, after]].all():
                continue
            slides[index] = 0
            border = int(borders[np.argmin(np.abs(borders - start))])
            source = sources[index] + border - start
            last = sources[index - 1] + border - 1 - starts[index - 1]
            inside = source >= bounds.starts[after] and last < bounds.ends[before]
            if abs(border - start) <= 2 * reach and starts[index - 1] < border < ends[index] and inside:
                starts[index], sources[index] = border, source
        return replace(settled, segments=Segments(starts, sources, task.frames), slides=slides)

    def _allowed(self, task: Task) -> Mask:
        """Return a mask `(F, E)` of the examples that each frame may show."""
        allowed = np.ones((task.frames, len(self.tags)), bool)
        for first, last, tags in self._spans(task.frames):
            allowed[first : last + 1] = np.isin(np.arange(len(self.tags)), sorted(self._examples_of(tags)))
        return allowed

    def _spans(self, frames: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Yield the first and last frame of each span of the result with the same tags, and the tags."""
        borders = {0, frames}
        for stretch in self.stretches:
            borders |= {stretch.first, stretch.last + 1}
        ordered = sorted(borders)
        for first, end in pairwise(ordered):
            tags = [stretch.tag for stretch in self.stretches if stretch.first <= first and stretch.last >= end - 1]
            if tags:
                yield first, end - 1, tuple(dict.fromkeys(tags))

    def _examples_of(self, tags: tuple[str, ...]) -> set[int]:
        """Return the numbers of the examples that have all of the tags."""
        return {number for number, example_tags in enumerate(self.tags) if set(tags) <= set(example_tags)}


def _second_examples(
    plan: PartPlan, initial_path: Int64, costs: PathCosts, example: Int64, labels: FrameCost
) -> FrameCost | None:
    """Return a cost by which long stretches change their example halfway; None if all show several already.

    costs: of the part's path, with `labels`, those of other labels. example: `(n,)` that each of the part's frames is
    from.
    """
    stretches = _long_stretches(plan, example, labels)
    if not stretches:
        return None
    shortest = max(1, round(costs.shortest * plan.graph.shortest))
    unary_costs = UnaryCosts(initial_path, TRUST, costs.together)
    path = min_cost_long_path(unary_costs, plan.graph_of(costs.groups).predecessors, plan.bounds, shortest)
    sources = example[path]
    rows, table = np.full(len(path), -1), list[Float32]()
    for first, end in stretches:
        numbers, counts = np.unique(sources[first:end], return_counts=True)
        if counts.max() <= end - first - shortest:
            continue
        is_only = example == numbers[counts.argmax()]
        half = (first + end) // 2
        for start, stop, wrong in ((first, half, ~is_only), (half, end, is_only)):
            rows[start:stop] = len(table)
            table.append(ONE_EXAMPLE_COST * wrong.astype(np.float32))
    return FrameCost(np.array(table), rows) if table else None


def _long_stretches(plan: PartPlan, example: Int64, labels: FrameCost) -> list[tuple[int, int]]:
    """Return the first and end stage frames of the long stretches whose label several examples of the part have."""
    several = [len(np.unique(example[against == 0])) > 1 for against in labels.table]
    borders = [0, *(np.flatnonzero(np.diff(labels.rows)) + 1).tolist(), len(labels.rows)]
    return [
        (first, end)
        for first, end in pairwise(borders)
        if labels.rows[first] >= 0 and several[labels.rows[first]] and end - first >= 2 * plan.graph.shortest
    ]
