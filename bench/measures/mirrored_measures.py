# SPDX-License-Identifier: GPL-3.0-or-later
"""Variety gained with an example's mirror image: transitions, gaps and diversity of results from both."""

from collections.abc import Sequence

import numpy as np

from genmm_addon.core import Motion, Synthesis, metrics, prepare, synthesize
from genmm_addon.core.motion import without_heading
from genmm_addon.core.transfer import find_symmetry, mirror

from .quality_table import Row
from .transition_measures import Jumps, distinct, squared_gaps

GAP_PERCENTILE = 90


def mirrored_row(motion: Motion, seeds: int) -> Row:
    """Return measures of results from an example and its mirror image, named as those from the example alone.

    All are None if the skeleton has no left and right.
    """
    symmetry = find_symmetry([motion])
    names = ("both_distinct", "both_once", "both_gap", "both_diversity")
    if symmetry is None:
        return dict.fromkeys(names)
    prepared = prepare([motion, mirror(motion, symmetry)])
    results = [synthesize(prepared, 2 * motion.frames, seed=seed) for seed in range(seeds)]
    jumps = _jumps(results, motion.frames)
    both = [without_heading(example, prepared.root) for example in prepared.motions]
    channels = {name: np.concatenate([example.channels()[name] for example in both]) for name in both[0].channels()}
    gaps = squared_gaps(both[0].with_channels(channels), jumps)
    occurrences = distinct(jumps)
    return {
        "both_distinct": len(occurrences),
        "both_once": float(np.mean(occurrences == 1)) if len(occurrences) else None,
        "both_gap": float(np.percentile(gaps, GAP_PERCENTILE)) if len(gaps) else None,
        "both_diversity": metrics.set_diversity([result.motion for result in results], prepared.motions[0]),
    }


def mirrored_line(row: Row) -> str:
    """Return a line on the changes with the mirror image."""
    if row["both_distinct"] is None:
        return "    no left and right"
    columns = (
        ("distinct transitions", "distinct", ".0f"),
        ("90th gap", "gap", ".1f"),
        ("diversity", "diversity", ".2f"),
    )
    pairs = [(label, row[name], row[f"both_{name}"], form) for label, name, form in columns]
    return "    both ways: " + ", ".join(
        f"{label} {'-' if one is None else format(one, form)} > {'-' if other is None else format(other, form)}"
        for label, one, other, form in pairs
    )


def _jumps(results: Sequence[Synthesis], frames: int) -> Jumps:
    """Return the transitions of results; frames of the mirror image are numbered after those of the example."""
    pieces = []
    for number, result in enumerate(results):
        frame = np.rint(result.source_frames[:, 0]).astype(np.int64) + frames * result.source_examples[:, 0]
        at = np.flatnonzero(np.diff(frame) != 1)
        pieces.append(np.stack((frame[at], frame[at + 1], np.full(len(at), number)), axis=1))
    leaves, arrivals, numbers = np.concatenate(pieces).T
    return Jumps(leaves, arrivals, numbers)
