# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm repair`: repairs flaws of an action in place and writes the file, or only lists them."""

import argparse
from functools import partial

import bpy

from ....core import counted
from ....core.repair import FlawKind, KeptInFlight
from ....editing.repairing.reading import FoundFlaw, RepairRequest
from ....editing.repairing.repairing import flaws_work, repair_work
from ....editing.transforming.content import TransformTask
from ....editing.transforming.work import done_at_once
from ...console import Console
from ..each_input import for_each_input
from ..edited_file import clips_of, open_edited, progress_said, write_edited


@for_each_input(lambda options: not options.only_list)
def repair(options: argparse.Namespace, console: Console) -> int:
    """Repair the action, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    opened, action, slot = open_edited(options, console)
    kinds = frozenset(FlawKind[kind] for kind in options.kinds)
    kept = KeptInFlight(options.flights_keep.upper())
    request = RepairRequest(options.frames, options.bones, kinds, options.everything, options.strength, kept=kept)
    choice = clips_of(options, opened)
    work = flaws_work if options.only_list else repair_work
    # A list is printed without progress before it.
    progress = None if options.only_list else progress_said(console, "repaired")
    task = TransformTask(opened.armature, bpy.context.scene, action, slot, choice)
    outcome = done_at_once(partial(work, task, request), progress)
    for note in outcome.notes:
        console.note(note)
    for flaw in outcome.flaws:
        console.answer(_line(flaw), "flaw", [_values(flaw)], {"event": "flaw", **_values(flaw)})
    if options.only_list:
        console.end(f"{counted(len(outcome.flaws), 'flaw')} found; nothing was written.")
        return 0
    return write_edited(options, opened, action, console, f"{counted(len(outcome.flaws), 'flaw')} repaired.")


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
