# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm measure`: compares a set of motions, as a whole, with a library."""

import argparse
from dataclasses import asdict

from ...core import counted
from ...core.evaluation import SetMeasures, measure_set, prepare_reference
from ...core.library import load_library
from ..console import Console
from ..inputs.motion_sets import clips_of, library_with_clips, motions_in, on_skeleton_of
from ..stopping import check_stop


def measure(options: argparse.Namespace, console: Console) -> int:
    """Print the measures of all inputs together, and return the exit status. Raises InputError."""
    library = library_with_clips(options.libraries[0])
    motions = [named.motion for named in clips_of(library)]
    for path in options.libraries[1:]:
        other = clips_of(load_library(path))
        motions += [named.motion for named in on_skeleton_of(other, library)]
    console.status("Reading the set")
    motions_of_set = on_skeleton_of(motions_in(options.inputs), library)
    check_stop()
    reference = prepare_reference(motions)
    check_stop()
    measures = measure_set(
        [named.motion for named in motions_of_set], reference, [named.group for named in motions_of_set]
    )
    said = {"motions": len(motions_of_set), **_rounded(measures)}
    console.answer(_text(measures, len(motions_of_set)), "measures", [said], said)
    return 0


def _rounded(measures: SetMeasures) -> dict[str, float | int | None]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(measures).items()}


def _text(measures: SetMeasures, count: int) -> str:
    modes = "-" if measures.multimodality is None else f"{measures.multimodality:.2f}"
    return "\n".join(
        (
            f"{counted(count, 'motion')}, {counted(measures.windows, 'window')} of a second, against "
            f"{measures.reference_windows:,} of the library",
            f"  FID            {measures.fid:.2f}",
            f"  KID            {measures.kid:.4f}",
            f"  precision      {measures.precision:.3f}",
            f"  recall         {measures.recall:.3f}",
            f"  diversity      {measures.diversity:.2f} (library {measures.reference_diversity:.2f})",
            f"  multimodality  {modes}",
        )
    )
