# SPDX-License-Identifier: GPL-3.0-or-later
"""Short examples: those that are refused, those that are noted, and cycles, which may be short."""

import numpy as np
import pytest
from motions import RATE, UPWARD, walker

from genmm_addon.core import InputError, Motion, prepare, rotations, synthesize
from genmm_addon.core.examples import Repetition, is_cycle, note_on_lengths
from genmm_addon.core.motion import resample


def cycle(frames: int, rate: float = RATE) -> Motion:
    """Return one swing of every joint, which ends as it begins."""
    motion = walker(frames, 0, rate)
    swing = 0.4 * np.sin(2 * np.pi * np.arange(frames) / frames)
    turned = rotations.from_axis_angle(np.broadcast_to(UPWARD, (frames, 3)), swing).astype(np.float32)
    return motion.with_channels(
        {**motion.channels(), "rotations": np.repeat(turned[:, None], motion.rotations.shape[1], axis=1)}
    )


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0, 120.0])
def test_a_third_of_a_second_is_the_shortest_example_at_any_rate(rate: float) -> None:
    least = max(10, round(rate / 3))
    walk = walker(round(rate * 2), 0, rate)
    with pytest.raises(InputError, match=f"{least - 1} frames at {rate:g} fps, too short to vary; use one of 1.5 s"):
        prepare([walk.slice(0, least - 1)])
    assert prepare([walk.slice(0, least)]).motions[0].frames == least


def test_a_short_cycle_is_learned_from() -> None:
    prepared = prepare([cycle(8)])
    assert synthesize(prepared, 40).motion.frames == 40


def test_short_piece_of_a_walk_is_not_a_cycle_but_a_swing_is() -> None:
    assert is_cycle(cycle(20)) and is_cycle(cycle(8))
    assert not is_cycle(walker().slice(0, 12)) and not is_cycle(walker().slice(0, 24))


@pytest.mark.parametrize("rate", [30.0, 60.0])
def test_examples_under_a_second_and_a_half_get_a_note_with_the_remedy(rate: float) -> None:
    walk = resample(walker(), rate)[0]
    short = walk.slice(0, round(0.8 * rate))
    said = note_on_lengths([short])
    assert "last 0.8 s" in said and "more than once a second" in said and "1.5 s or more help" in said
    assert note_on_lengths([short, short]) == "" == note_on_lengths([walk])
    assert note_on_lengths([walk.slice(0, 1)]) == "", "it is refused"


def test_a_short_cycle_is_not_noted_as_short_but_alone_as_leaving_little_to_vary() -> None:
    assert "One cycle leaves little to vary" in note_on_lengths([cycle(20)])
    assert note_on_lengths([cycle(20), cycle(8)]) == ""
    assert "One cycle" not in note_on_lengths([cycle(20)], [Repetition.TAKE])
    assert "One cycle" in note_on_lengths([walker(60)], [Repetition.CYCLE])
