# SPDX-License-Identifier: GPL-3.0-or-later
"""Remarks on examples before they are read: stray keys far away from all others, and too little motion."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from bpy.types import Object, Scene

from ...animation.curves import collect_curves
from ...animation.reading.example_spec import ExampleSpec, Mirrored, range_of, rate_of, repetition_of
from ...animation.reading.examples import read_keyed
from ...animation.stray_keys import StrayKeys, stray_keys
from ...core import InputError
from ...core.examples import ENOUGH_SECONDS, LONGEST_SEGMENT_SECONDS, Repetition, is_cycle
from ...requests.choices import chosen_examples
from ...state.properties import GENMM_PG_character, GENMM_PG_example
from ..common.known_while import KnownWhile
from .learned import mark_of


@dataclass(frozen=True)
class Remarks:
    """An example's stray keys, and its length in seconds."""

    stray: StrayKeys | None
    seconds: float


_known = KnownWhile[Remarks]()
_cycles = KnownWhile[bool]()


def remarks_on(character: Object, spec: ExampleSpec, scene: Scene, *, beyond_keys: bool = False) -> Remarks:
    """Return the remarks on an example. Raises InputError where it has no keys or no range.

    beyond_keys: whether frames outside the action's own are read, since something else moves there.
    """
    owner = spec.armature or character
    rate = rate_of(spec, scene)

    def remarks() -> Remarks:
        curves = collect_curves(owner, spec.action, spec.slot)
        start, end = range_of(spec, curves, scene, beyond_keys=beyond_keys)
        return Remarks(stray_keys(curves, start, end), (end - start + 1) / rate)

    return _known.value(_thing(owner, spec), (mark_of(owner, spec), rate, beyond_keys), remarks)


def _thing(owner: Object, spec: ExampleSpec) -> Hashable:
    return owner.name_full, spec.action.name_full, spec.slot, spec.frame_start, spec.frame_end


def is_taken_as_cycle(character: Object, spec: ExampleSpec, scene: Scene) -> bool:
    """Return whether an example repeats, as it is asked to or because its end leads to its beginning."""
    repetition = repetition_of(spec)
    if repetition is not Repetition.AUTOMATIC or spec.action is None:
        return repetition is Repetition.CYCLE
    owner = spec.armature or character
    try:
        mark = mark_of(owner, spec), rate_of(spec, scene)
        return _cycles.value(_thing(owner, spec), mark, lambda: _leads_to_its_beginning(owner, spec, scene))
    except InputError:
        return False


def _leads_to_its_beginning(owner: Object, spec: ExampleSpec, scene: Scene) -> bool:
    own = replace(spec, armature=None, mirrored=Mirrored.AS_RECORDED)
    # A long action is a take, and its keys take long to read.
    if remarks_on(owner, own, scene).seconds > LONGEST_SEGMENT_SECONDS:
        return False
    return is_cycle(read_keyed(owner, [own], scene).motions[0])


def panel_remarks(character: Object, settings: GENMM_PG_character, scene: Scene) -> tuple[list[StrayKeys], str]:
    """Return the stray keys of the examples in use, and a short text where these have too little motion."""
    try:
        specs, per_example = _remarks_on_used(character, settings, scene)
    except InputError:
        return [], ""
    strays = [remarks.stray for remarks in per_example if remarks.stray is not None]
    seconds = sum(remarks.seconds for remarks in per_example)
    short = per_example and len(per_example) == len(specs) and seconds < ENOUGH_SECONDS
    if not short or any(is_taken_as_cycle(character, spec, scene) for spec in specs):
        return strays, ""
    return strays, f"Only {seconds:.1f} s: {ENOUGH_SECONDS:g} s or more help"


def why_nothing_learned(character: Object, settings: GENMM_PG_character, scene: Scene) -> str:
    """Return a sentence on why the examples cannot be learned from, such as missing keys; "" where they can."""
    try:
        _remarks_on_used(character, settings, scene)
    except InputError as error:
        return str(error)
    return ""


def _remarks_on_used(
    character: Object, settings: GENMM_PG_character, scene: Scene
) -> tuple[list[ExampleSpec], list[Remarks]]:
    """Return the examples in use, and the remarks on those that are actions. Raises InputError without any motion."""
    specs = [choice.spec for choice in chosen_examples(character, settings.examples)]
    actions = [spec for spec in specs if spec.action is not None]
    visual = settings.channels == "VISUAL"
    return specs, [remarks_on(character, spec, scene, beyond_keys=visual) for spec in actions]


def leave_out_stray_keys(character: Object, rows: Sequence[GENMM_PG_example], scene: Scene) -> list[StrayKeys]:
    """Set the range of each row with stray keys to the frames of its other keys. Returns the stray keys."""
    strays = []
    for row in rows:
        stray = stray_keys_of(character, row, scene)
        if stray is not None:
            row.use_range, row.frame_start, row.frame_end = True, stray.first, stray.last
            strays.append(stray)
    return strays


def stray_keys_of(character: Object, row: GENMM_PG_example, scene: Scene) -> StrayKeys | None:
    """Return the stray keys of a row that is learned from, within its range; None without any."""
    if row.action is None or not row.enabled:
        return None
    spec = ExampleSpec(row.action, row.slot, armature=row.armature)
    if row.use_range:
        spec = replace(spec, frame_start=row.frame_start, frame_end=row.frame_end)
    return remarks_on(character, spec, scene).stray
