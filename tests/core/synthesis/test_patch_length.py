# SPDX-License-Identifier: GPL-3.0-or-later
"""The length of patches with examples of various lengths."""

from measures import is_sound
from motions import walker

from genmm_addon.core import prepare, synthesize
from genmm_addon.core.synthesis.synthesize import patch_length


def test_one_short_example_among_long_ones_shrinks_no_patch() -> None:
    long = [walker(240, seed) for seed in range(4)]
    with_short = prepare([*long, walker(19, 9)])
    assert len(with_short.stages) == len(prepare(long).stages)
    for stage in range(len(with_short.stages)):
        assert patch_length(with_short, stage, 100) == patch_length(prepare(long), stage, 100)
    assert is_sound(synthesize(with_short, 240).motion)
