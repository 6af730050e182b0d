# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a result, computed from arrays right after it was made, and stored on its action."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import ID

from ..character.flesh import ExampleBody
from ..core import Float64, InputError, Int64, Motion, Prepared, Synthesis, counted, metrics
from ..core.constraints import SignalMatch
from ..core.evaluation import (
    HALF_WINDOW_SECONDS,
    VISIBLE_GAP,
    LegFlaw,
    LegFlawKind,
    StandingLegs,
    leg_flaws,
    transition_gaps,
)
from ..core.feet import Foot, ground_heights
from ..core.motion import poses_kept, without_heading
from ..core.storage import parse_object, plain, read_record
from .sources import breaks, sources_of

PROPERTY = "genmm_measures"
MOST_PAIRS = 2000 * 2000
"""Most pairs of a frame or transition of the result and a frame of the examples that are measured, and most matrix
entries of a batch compared for its diversity; of a larger one only every nth frame is used."""
FLAW_NAMES = {
    LegFlawKind.KNEE: "knee pop",
    LegFlawKind.STOP: "foot jerk",
    LegFlawKind.SLIDE: "foot slide",
    LegFlawKind.DRAG: "foot drag",
    LegFlawKind.AIR: "float",
}
"""The names of the kinds, in the order in which they are listed."""


@dataclass(frozen=True)
class Measures:
    """The measures that the panel lists for a result; None where one was not measured.

    coverage: the share, 0 to 1, of the examples that it shows. diversity: how much the variations of its batch
    differ, as a share of how much the examples vary. skate, example_skate: the speed at which feet slide near the
    ground, in cm/s at a height of 170 cm. visible_transitions: the first frames after transitions that may be visible,
    counted from the result's first frame. leg_flaws: visible flaws of knees and feet, with frames counted the same way.
    frames_through_body: the number of frames at which limbs go through the body deeper than in the examples.
    """

    coverage: float | None = None
    diversity: float | None = None
    skate: float | None = None
    example_skate: float | None = None
    visible_transitions: tuple[int, ...] | None = None
    leg_flaws: tuple[LegFlaw, ...] | None = None
    followed: tuple[SignalMatch, ...] = ()
    frames_through_body: int | None = None


@poses_kept()
def measure(
    prepared: Prepared, syntheses: Sequence[Synthesis], body: ExampleBody | None = None
) -> tuple[Measures, ...]:
    """Return the measures of each result of a batch, compared with the examples as they were used.

    body: None leaves out limbs through it.
    """
    motions = prepared.motions
    base = ground_heights(motions, prepared.feet)
    example_skate = _skate(motions, prepared.feet, base)
    examples = [without_heading(motion, prepared.root) for motion in motions]
    results = [without_heading(synthesis.motion, prepared.root) for synthesis in syntheses]
    diversity = _diversity(results, examples)
    return tuple(
        Measures(
            coverage=_coverage(result, examples),
            diversity=diversity,
            skate=_skate([synthesis.motion], prepared.feet, base),
            example_skate=example_skate,
            visible_transitions=_visible(prepared, synthesis, result, examples),
            leg_flaws=_flaws(prepared, synthesis, base),
            followed=synthesis.followed,
            frames_through_body=None if body is None else body.frames_through(synthesis.motion),
        )
        for synthesis, result in zip(syntheses, results, strict=True)
    )


def visible_transitions(prepared: Prepared, synthesis: Synthesis) -> tuple[int, ...] | None:
    """Return the frames after transitions that may be visible, in order; None where there is too much to compare."""
    examples = [without_heading(motion, prepared.root) for motion in prepared.motions]
    return _visible(prepared, synthesis, without_heading(synthesis.motion, prepared.root), examples)


def visible_flaws(prepared: Prepared, synthesis: Synthesis) -> tuple[LegFlaw, ...] | None:
    """Return the visible flaws of a result's legs, in order of frames; None where they cannot be measured."""
    return _flaws(prepared, synthesis, ground_heights(prepared.motions, prepared.feet))


def _flaws(prepared: Prepared, synthesis: Synthesis, base: Float64) -> tuple[LegFlaw, ...] | None:
    if not prepared.feet or synthesis.rise is not None:
        # On a slope or on stairs, a foot's height does not tell whether it stands.
        return None
    known = prepared.example_feet
    legs = StandingLegs(known.feet, known.contacts, known.heights, base, known.footing, prepared.bounds.starts)
    return leg_flaws(synthesis.motion, legs)


def _visible(
    prepared: Prepared, synthesis: Synthesis, result: Motion, examples: Sequence[Motion]
) -> tuple[int, ...] | None:
    length = sum(motion.frames for motion in examples)
    visible: dict[int, float] = {}
    for number, plan in enumerate(prepared.parts):
        frames = _transitions(prepared, synthesis, number)
        if len(frames) * length > MOST_PAIRS:
            return None
        joints = None if len(prepared.parts) == 1 else plan.part.joints
        gaps = transition_gaps(result, frames, examples, joints)
        for frame, gap in zip(frames.tolist(), gaps.tolist(), strict=True):
            visible[frame] = max(gap, visible.get(frame, 0.0))
    return _worst(visible, round(HALF_WINDOW_SECONDS * prepared.frames_per_second))


def _worst(gaps: Mapping[int, float], near: int) -> tuple[int, ...]:
    """Return the frames with the largest visible gaps, no two of them within `near` frames."""
    kept: list[int] = []
    for frame in sorted(gaps, key=lambda frame: -gaps[frame]):
        if gaps[frame] > VISIBLE_GAP and all(abs(frame - other) > near for other in kept):
            kept.append(frame)
    return tuple(sorted(kept))


def _transitions(prepared: Prepared, synthesis: Synthesis, part: int) -> Int64:
    """Return the first frame after each transition of a part."""
    which, frames = synthesis.source_examples[:, part], synthesis.source_frames[:, part]
    positions = prepared.examples.positions
    steps = np.array([times[1] - times[0] if len(times) > 1 else 1.0 for times in positions])[which[:-1]]
    if synthesis.source_rates is not None:
        steps = steps * synthesis.source_rates[:-1, part]
    return np.flatnonzero(breaks(which, frames, steps)) + 1


def store_measures(block: ID, measures: Measures) -> None:
    """Store the measures on an action."""
    block[PROPERTY] = measures_text(measures)


def measures_text(measures: Measures) -> str:
    """Return measures as JSON."""
    return json.dumps(plain(measures), allow_nan=False)


def forget_measures(block: ID) -> None:
    """Remove the measures from an action whose motion has changed since."""
    if block.get(PROPERTY) is not None:
        del block[PROPERTY]


def measures_of(block: ID | None) -> Measures | None:
    """Return the measures stored on an action; None where it has none, or an unreadable value in their place."""
    return measures_in(None if block is None else block.get(PROPERTY))


def measures_in(text: object) -> Measures | None:
    """Return the measures in an untrusted text; None where it holds none."""
    if not isinstance(text, str):
        return None
    try:
        return read_record(Measures, parse_object(text), "measures")
    except InputError:
        return None


def visible_frames(action: ID) -> tuple[int, ...] | None:
    """Return the frames of an action after transitions that may be visible; None where they were not measured."""
    measures, sources = measures_of(action), sources_of(action)
    if measures is None or sources is None or measures.visible_transitions is None:
        return None
    return tuple(round(sources.frame_start + frame) for frame in measures.visible_transitions)


def frames_through_body(action: ID) -> int | None:
    """Return the number of an action's frames with limbs through the body; None where it was not measured."""
    measures = measures_of(action)
    return None if measures is None else measures.frames_through_body


def flawed_frames(action: ID) -> dict[LegFlawKind, tuple[int, ...]] | None:
    """Return the frames of an action with flaws of the legs, by kind; None where they were not measured."""
    measures, sources = measures_of(action), sources_of(action)
    if measures is None or sources is None or measures.leg_flaws is None:
        return None
    return by_kind(measures.leg_flaws, sources.frame_start)


def by_kind(flaws: Sequence[LegFlaw], frame_start: float = 0.0) -> dict[LegFlawKind, tuple[int, ...]]:
    """Return the frames of flaws by kind, counted from the result's first frame, without kinds that have none."""
    shown = {kind: tuple(round(frame_start + flaw.frame) for flaw in flaws if flaw.kind is kind) for kind in FLAW_NAMES}
    return {kind: frames for kind, frames in shown.items() if frames}


def as_entries(frames: Mapping[LegFlawKind, Sequence[int]]) -> dict[str, list[int]]:
    """Return the frames of flaws in the form of a report for programs."""
    return {kind.value: list(listed) for kind, listed in frames.items()}


def said_visible(frames: Sequence[int]) -> str:
    """Return the sentence on transitions that may be visible."""
    return said_to_show(frames, "cut") if frames else "no cut shows"


def said_through(frames: int) -> str:
    """Return the words on the number of frames at which limbs go through the body."""
    return f"{counted(frames, 'frame')} with limbs through the body"


def said_to_show(frames: Sequence[int], noun: str) -> str:
    """Return the sentence on frames that may show a flaw; noun: the flaw's name."""
    word = "frame" if len(frames) == 1 else "frames"
    return f"{counted(len(frames), noun)} may show: {word} {', '.join(map(str, frames))}"


def _coverage(result: Motion, examples: Sequence[Motion]) -> float | None:
    if result.frames * sum(example.frames for example in examples) > MOST_PAIRS:
        return None
    return metrics.coverage(result, *examples)


def _skate(motions: Sequence[Motion], feet: Sequence[Foot], base: Float64) -> float | None:
    """Return the foot skate of all motions together; None without feet."""
    if not feet:
        return None
    joints, size = [foot.joint for foot in feet], motions[0].skeleton.size
    skates = [metrics.foot_skate(motion, joints, base, size) for motion in motions]
    return float(np.average(skates, weights=[motion.frames for motion in motions]))


def _diversity(results: Sequence[Motion], examples: Sequence[Motion]) -> float | None:
    """Return the diversity of the results of a batch; None for a single one."""
    if len(results) < 2:
        return None
    values = len(results) * results[0].frames * 9 * len(results[0].skeleton.names)
    stride = -(-values // MOST_PAIRS)
    return metrics.set_diversity([_every(result, stride) for result in results], _joined(examples))


def _every(motion: Motion, stride: int) -> Motion:
    return motion if stride == 1 else motion.take(np.arange(0, motion.frames, stride))


def _joined(motions: Sequence[Motion]) -> Motion:
    """Return one motion with all frames in a row."""
    if len(motions) == 1:
        return motions[0]
    channels = [motion.channels() for motion in motions]
    return motions[0].with_channels({name: np.concatenate([each[name] for each in channels]) for name in channels[0]})
