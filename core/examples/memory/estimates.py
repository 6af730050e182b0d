# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that work needs, estimated before anything is read or allocated, and the message if it is too much.

They are upper bounds, fitted to peaks of allocations for up to 125,000 example frames, 17 to 433 joints, 1 to 757
examples, 1 to 6 parts and 100,000 output frames (`build.py bench --memory` measures whole runs; tests compare with
tracemalloc).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...arrays import Int64
from ...errors import InputError
from ...features import pyramid
from ...features.cells import MOST_SEARCHED
from ...features.graph_size import ALL_EDGES_FRAMES, REGIONS, neighbors_kept
from ...features.principal_axes import MOST_COLUMNS
from ...motion.piecewise import PIECE
from ...settings import Settings
from ..example_lengths import SHORTEST_FRAMES
from . import limits

FIXED_BYTES = 36e6
"""Bytes of the blocks of patch distances and votes, and of the similarities of clusters, for any size of input."""
ENCODING_BYTES = (150.0, 48.0)
"""Bytes for each example frame while features are encoded: for each joint, and for each translated or scaled one."""
PREPARED_BYTES = (44.0, 24.0)
"""Bytes for each example frame in `Prepared`, without the motion: for each joint, and each translated or scaled one."""
MOTION_BYTES = (16.0, 12.0)
"""Bytes of the float32 channels of a motion for each frame: a joint's quaternion, and a translation or scale."""
TABLE_BYTES = 20.0
"""Bytes for each pair of a part's stage frames if all edges are kept: their ends, their costs, the similarities. While
they are computed, and while a path is planned, as many are used in addition."""
EDGE_BYTES, FRAME_BYTES = 8.0, 700.0
"""Bytes for each kept edge, and for each stage frame of a graph: its predecessors and its window in the search; and for
each stage frame of a planned path: what the windows around it show."""
RESULT_BYTES = (30.0, 50.0)
"""Bytes for each output frame while it is composed: for each joint, and for each translated or scaled one."""
LOCKING_BYTES = (18.0, 25.0)
"""Bytes for each output frame while feet are locked, without FOOT_BYTES: for each joint, and for each translated or
scaled one."""
ROW_BYTES = (96.0, 48.0)
"""Bytes for each stage frame of the output while its rows are matched: for each joint, and for each translated or
scaled one."""
FOOT_BYTES = 1200.0
"""Bytes for each output frame and foot while feet are locked (core/feet/leg_ik.py)."""
FEET = 4
"""Number of feet that is assumed before it is known."""
KEPT_BYTES = (18.0, 25.0)
"""Bytes of each frame of a finished result, and of each part beyond the first while it is composed: its channels for
each joint, and for each translated or scaled one."""
COST_BYTES = 4.5
"""Bytes for each pair of a stage frame of the output and one of the examples: its cost in a path, and its coupling to
the root's part. Labels take as many if all stretches differ; half a byte is for the two costs of a long stretch."""
PAIR_BYTES = 40.0
"""Bytes for each pair in a constraint's frame costs, including intermediate tables, and for each pair of decomposed
columns, or rows of more columns: their products, and their decomposition."""
BUILDING_BYTES = 48.0
"""Bytes for each edge while edges are sorted; planning a path takes less."""
PLACED_BYTES = 120.0
"""Bytes that a constraint on poses or places adds for each output frame and joint: poses in double precision, some at a
time (`build.py bench --memory`)."""
POSE_BYTES = 320.0
"""Bytes for each joint and frame of the poses that are described at once (core/library/seen_poses.py)."""
POSE_COLUMNS = 6
"""Number of a joint's columns in an index of poses."""
INDEXED_BYTES = 400.0
"""Bytes of each frame of an index of poses, and while it is made."""


@dataclass(frozen=True)
class ExampleSize:
    """An example before it is read.

    name: its name in messages. frames: their number, at its own frames_per_second. advice: a sentence on the range to
    learn from, which replaces the longest range that fits.

    >>> ExampleSize("walk", frames=60, frames_per_second=30.0).frames
    60
    """

    name: str
    frames: int
    frames_per_second: float
    advice: str = ""


@dataclass(frozen=True)
class BodySize:
    """Numbers of channels in a frame: joints with a rotation, and vectors (translations, scales, scalars in threes).

    >>> BodySize(joints=2, vectors=1).joints
    2
    """

    joints: int
    vectors: int

    def times(self, amounts: tuple[float, float]) -> float:
        """Return the bytes of a frame, given those of a joint and of a vector."""
        return amounts[0] * self.joints + amounts[1] * self.vectors


@dataclass(frozen=True)
class Needs:
    """Largest number of bytes that work needs, and the number that stay in use afterward."""

    peak: float
    kept: float


@dataclass(frozen=True)
class ConstraintBytes:
    """Bytes that a constraint adds to the peak of a result.

    composing: for each output frame and joint. pairs: for each pair of a stage frame of the output and one of the
    examples.

    >>> ConstraintBytes(composing=16.0).pairs
    0.0
    """

    composing: float = 0.0
    pairs: float = 0.0


@dataclass(frozen=True)
class Purpose:
    """The purpose for which examples are read.

    rate: frames per second of the result. parts: for each part the numbers of its examples; None is all.

    >>> Purpose(rate=30.0).parts
    (None,)
    """

    rate: float
    parts: tuple[tuple[int, ...] | None, ...] = (None,)
    settings: Settings = field(default_factory=Settings)


def preparation_needs(lengths: Sequence[int], body: BodySize, purpose: Purpose) -> Needs:
    """Return the needs of `prepare`, without the motions passed in, for examples of these lengths at the full rate.

    >>> needs = preparation_needs([60], BodySize(2, 1), Purpose(30.0))
    >>> needs.peak > needs.kept
    True
    """
    frames, parts = float(sum(lengths)), purpose.parts
    stages = _stage_lengths(lengths, purpose)
    summed, largest = 0.0, 0.0
    for examples in parts:
        graph = _graph_needs(_frames_of(stages, examples))
        summed, largest = summed + graph.kept, max(largest, graph.peak)
    resampled = frames * body.times(MOTION_BYTES)
    kept = summed + frames * body.times(PREPARED_BYTES) + resampled
    return Needs(max(frames * body.times(ENCODING_BYTES) + resampled, kept + largest) + FIXED_BYTES, kept)


def synthesis_needs(
    frames: int,
    lengths: Sequence[int],
    body: BodySize,
    purpose: Purpose,
    *,
    feet: int | None = None,
    constraints: Sequence[ConstraintBytes] = (),
) -> Needs:
    """Return the needs of `synthesize` for one result, without the prepared examples.

    feet: their number; None if it is not known yet. constraints: the bytes that each of them adds; their frame costs
    are computed one after another.

    >>> needs = synthesis_needs(90, [60], BodySize(2, 1), Purpose(30.0))
    >>> needs.peak > needs.kept
    True
    """
    stages = _stage_lengths(lengths, purpose)
    parts, total = purpose.parts, float(stages.sum())
    patches = int(np.maximum(stages + 1 - purpose.settings.patch_frames, 0).sum())
    steps = max(1.0, frames * min(total / max(float(sum(lengths)), 1.0), 1.0))
    composed, rows = body.times(RESULT_BYTES), steps * body.times(ROW_BYTES)
    # Without matching, no table is computed; see `synthesize`.
    is_matched = len(parts) > 1 or patches <= MOST_SEARCHED
    tables = COST_BYTES * steps * total if is_matched else 0.0
    if purpose.settings.foot_locking:
        chosen = FEET if purpose.settings.feet is None else len(purpose.settings.feet)
        composed = max(composed, body.times(LOCKING_BYTES) + FOOT_BYTES * (chosen if feet is None else feet))
    composed += body.times(KEPT_BYTES) * (len(parts) - 1)
    composed += body.joints * sum(constraint.composing for constraint in constraints)
    tables += COST_BYTES * min(steps, total) * total if len(parts) > 1 else 0.0
    tables += steps * total * max((constraint.pairs for constraint in constraints), default=0.0)
    kept = frames * body.times(KEPT_BYTES)
    planning = max(_graph_needs(_frames_of(stages, examples)).peak for examples in parts) + FRAME_BYTES * steps
    return Needs(max(frames * composed, rows, tables, planning) + FIXED_BYTES, kept)


def check_examples(
    sizes: Sequence[ExampleSize], body: BodySize, purpose: Purpose | None, reading_bytes: float = 0.0
) -> None:
    """Raise InputError naming the example, its frames and the range that would fit, unless all examples fit.

    purpose: the purpose of reading them; None is reading only. reading_bytes: bytes that reading needs for each frame
    of an example, including its motion; 0 if they have been read.

    >>> try:
    ...     check_examples([ExampleSize("walk", 10**9, 30.0)], BodySize(100, 1), Purpose(30.0))
    ... except InputError:
    ...     print("too long")
    too long
    """

    def needed(used: Sequence[ExampleSize]) -> float:
        motions = sum(size.frames for size in used) * body.times(MOTION_BYTES) if reading_bytes else 0.0
        reading = max(size.frames for size in used) * reading_bytes
        if purpose is None:
            return motions + reading
        lengths = [_resampled(size, purpose.rate) for size in used]
        return motions + max(reading, preparation_needs(lengths, body, purpose).peak)

    amount = needed(sizes)
    if limits.fits(amount):
        return
    limit = limits.budget()
    shortage = f"that needs {limits.as_text(amount)} of memory and {limits.as_text(limit)} may be used"
    raise InputError(_refusal(sizes, shortage, lambda fewer: needed(fewer) <= limit))


def filling_needs(lengths: Sequence[int], joints: int) -> Needs:
    """Return the needs of `index_motions`, without the motions passed in, for motions of these lengths.

    >>> filling_needs([60], 20).peak < filling_needs([60], 2000).peak
    True
    """
    kept = INDEXED_BYTES * sum(lengths)
    described = POSE_BYTES * joints * min(sum(lengths), PIECE + max(lengths))
    decomposed = min(POSE_COLUMNS * joints, MOST_COLUMNS)
    return Needs(kept + described + PAIR_BYTES * decomposed**2, kept)


def check_filling(lengths: Sequence[int], joints: int) -> None:
    """Raise InputError if motions of these lengths need too much memory to be prepared for filling.

    >>> check_filling([60], 20)
    """
    amount = filling_needs(lengths, joints).peak
    if not limits.fits(amount):
        raise InputError(
            f"The examples have {sum(lengths):,} frames of {joints:,} joints; preparing them needs "
            f"{limits.as_text(amount)} of memory and {limits.as_text(limits.budget())} may be used. "
            "Choose fewer or shorter examples."
        )


def _refusal(sizes: Sequence[ExampleSize], shortage: str, fits: Callable[[Sequence[ExampleSize]], bool]) -> str:
    """Return the message that names the example and the remedy; shortage: its clause on the memory."""
    advised = next((size for size in sizes if size.advice), None)
    if advised is not None:
        return f"{advised.name} has {advised.frames:,} frames; {shortage}. {advised.advice}"
    total = sum(size.frames for size in sizes)
    number = max(range(len(sizes)), key=lambda index: sizes[index].frames)
    largest = sizes[number]
    fitting = _most(
        largest.frames,
        lambda frames: fits([replace(size, frames=frames) if size is largest else size for size in sizes]),
    )
    if fitting >= SHORTEST_FRAMES:
        among = f" of {total:,} in all" if len(sizes) > 1 else ""
        return (
            f"{largest.name} has {largest.frames:,} frames{among}; {shortage}. "
            f"Learn from {_rounded(fitting):,} frames or fewer: set its frame range (--range on the command line)."
        )
    if len(sizes) == 1:
        return f"{largest.name} has {largest.frames:,} frames; {shortage}. Close other programs or files."
    count = _most(len(sizes), lambda first: first == 0 or fits(sizes[:first]))
    remedy = (
        f"Learn from the first {_rounded(count):,} of them or fewer" if count else "Learn from fewer and shorter ones"
    )
    return f"The {len(sizes):,} examples have {total:,} frames together; {shortage}. {remedy}."


def check_results(frames: int, count: int, needs: Callable[[int, int], float]) -> None:
    """Raise InputError with the length or the number of variations that would fit, unless the results fit.

    needs: function from a length and a number of results to their bytes.

    >>> try:
    ...     check_results(1000, 1, lambda frames, count: 1e18 * frames * count)
    ... except InputError:
    ...     print("too much")
    too much
    """
    amount = needs(frames, count)
    if limits.fits(amount):
        return
    limit = limits.budget()
    subject = f"A result of {frames:,} frames needs" if count == 1 else f"{count:,} results of {frames:,} frames need"
    fewer = _most(count, lambda number: needs(frames, number) <= limit)
    shorter = _most(frames, lambda length: needs(length, count) <= limit)
    if count > 1 and fewer:
        remedy = f"Make {_rounded(fewer):,} or fewer at a time"
        if shorter >= SHORTEST_FRAMES:
            remedy += f", or {_rounded(shorter):,} frames or fewer"
    elif shorter:
        remedy = f"Make {_rounded(shorter):,} frames or fewer"
    else:
        remedy = "Close other programs or files, or use fewer examples"
    raise InputError(f"{subject} {limits.as_text(amount)} of memory and {limits.as_text(limit)} may be used. {remedy}.")


def _resampled(size: ExampleSize, rate: float) -> int:
    return max(1, round((size.frames - 1) * rate / size.frames_per_second) + 1)


def _stage_lengths(lengths: Sequence[int], purpose: Purpose) -> Int64:
    """Return the numbers of frames of each example at the finest stage."""
    ratio = pyramid.stage_ratios(np.array(lengths), purpose.rate, purpose.settings)[-1]
    return np.array([pyramid.stage_length(length, ratio) for length in lengths])


def _graph_needs(frames: float) -> Needs:
    """Return the needs of the transition graph of a part's stage frames; the peak is in addition to the kept bytes."""
    if frames <= ALL_EDGES_FRAMES:
        return Needs(TABLE_BYTES * frames**2, TABLE_BYTES * frames**2)
    edges = 2 * frames * (neighbors_kept(int(frames)) + REGIONS)
    return Needs(BUILDING_BYTES * edges, EDGE_BYTES * edges + FRAME_BYTES * frames)


def _frames_of(lengths: Int64, examples: tuple[int, ...] | None) -> float:
    """Return the number of frames of a part's examples; None is all."""
    chosen = slice(None) if examples is None else sorted(set(examples) & set(range(len(lengths))))
    return float(lengths[chosen].sum())


def _most(largest: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `largest` that fits, if all below it do; 0 if none does."""
    low, high = 0, largest
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _rounded(number: int) -> int:
    """Return the number rounded down to its first two digits."""
    step = 10 ** max(len(str(number)) - 2, 0)
    return int(number // step * step)
