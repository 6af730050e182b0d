# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm repair`: repairs flaws of an action in place and writes the file, or only lists them."""

import argparse
from functools import partial

from ....core import counted
from ....core.repair import FlawKind, KeptInFlight
from ....editing.repairing.reading import FoundFlaw, RepairRequest
from ....editing.repairing.repairing import flaws_work, repair_work
from ....editing.transforming.work import done_at_once
from ...console import Console
from ..each_input import for_each_input
from ..edited_file import open_edited, progress_said


@for_each_input(lambda options: not options.only_list)
def repair(options: argparse.Namespace, console: Console) -> int:
    """Repair the action, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    file = open_edited(options, console)
    kinds = frozenset(FlawKind[kind] for kind in options.kinds)
    kept = KeptInFlight(options.flights_keep.upper())
    request = RepairRequest(options.frames, options.bones, kinds, options.everything, options.strength, kept=kept)
    work = flaws_work if options.only_list else repair_work
    # A list is printed without progress before it.
    progress = None if options.only_list else progress_said(console, "repaired")
    outcome = done_at_once(partial(work, file.task(file.clips()), request), progress)
    for note in outcome.notes:
        console.note(note)
    for flaw in outcome.flaws:
        console.answer(_line(flaw), "flaw", [_values(flaw)], {"event": "flaw", **_values(flaw)})
    if options.only_list:
        console.end(f"{counted(len(outcome.flaws), 'flaw')} found; nothing was written.")
        return 0
    return file.write(f"{counted(len(outcome.flaws), 'flaw')} repaired.")


def _line(flaw: FoundFlaw) -> str:
    frames = f"{flaw.first:g}" if flaw.first == flaw.last else f"{flaw.first:g}-{flaw.last:g}"
    what = flaw.amount_text(flaw.bones) or ", ".join(flaw.bones)
    return f"{flaw.kind.value.lower()} {frames} {what}, moved by up to {flaw.change:.3g}"


def _values(flaw: FoundFlaw) -> dict[str, object]:
    return {
        "kind": flaw.kind.value.lower(),
        "first": flaw.first,
        "last": flaw.last,
        "bones": list(flaw.bones),
        "change": flaw.change,
        "amount": flaw.amount,
    }
