# SPDX-License-Identifier: GPL-3.0-or-later
"""The ribbon's colors and places; its drawing is part of the window tests."""

import colorsys
import itertools

import numpy as np
import pytest

from genmm_addon.generation.sources import SourceExample, SourcePart, Sources
from genmm_addon.interface.common.line_drawing import FRAME_NUMBERS
from genmm_addon.interface.ribbon.bands import UNCOVERED, color_of, example_bands, plan_places, result_bands


def sources(*rows: tuple[float, ...], frame_start: float = 1.0, rate: float = 1.0) -> Sources:
    """Return sources from two examples of 100 and 50 frames, in one part and at one rate."""
    examples = (SourceExample("Walk", 1.0, 100), SourceExample("Dance", 1.0, 50, step=2.0))
    frames = int(sum(row[1] for row in rows))
    stretches = np.array([(*row, rate) for row in rows], np.float64)
    return Sources(frame_start, frames, examples, (SourcePart("Whole Body", stretches),))


TWO = sources((0, 20, 0, 30), (20, 10, 1, 0), frame_start=11.0)


def hue(color: tuple[float, ...]) -> float:
    return colorsys.rgb_to_hsv(*color[:3])[0]


def test_the_ribbon_spans_the_result_without_a_gap() -> None:
    (band,) = result_bands(TWO)
    assert band.edges[0, 0] == 10.5 and band.edges[-1, 1] == 40.5
    np.testing.assert_allclose(band.edges[1:, 0], band.edges[:-1, 1])


def test_a_frame_has_the_color_of_the_moment_it_came_from() -> None:
    (band,) = result_bands(TWO)
    np.testing.assert_allclose(band.colors[0, 0], color_of(TWO, 0, 0.3), atol=1e-6)
    cut = int(np.argmin(np.abs(band.edges[:, 0] - 30.5)))
    np.testing.assert_allclose(band.colors[cut - 1, 1], color_of(TWO, 0, 0.5), atol=1e-6)
    np.testing.assert_allclose(band.colors[cut, 0], color_of(TWO, 1, 0.0), atol=1e-6)


def test_no_two_moments_have_the_same_hue() -> None:
    hues = [hue(color_of(TWO, example, place)) for example in (0, 1) for place in np.linspace(0, 0.99, 20)]
    assert np.all(np.diff(hues) > 0)
    assert hues[-1] < 0.85


def test_example_frames_not_shown_are_gray_and_the_others_colored() -> None:
    first, second = example_bands(TWO)
    for example, band, seen in ((0, first, (0.30, 0.50)), (1, second, (0.0, 0.38))):
        assert band.edges[0, 0] == 0 and band.edges[-1, 1] == 1
        for (left, right), colors in zip(band.edges, band.colors, strict=True):
            gray = np.allclose(colors, UNCOVERED)
            assert gray == (not seen[0] - 1e-9 <= (left + right) / 2 <= seen[1] + 1e-9)
            if not gray:
                np.testing.assert_allclose(colors[0], color_of(TWO, example, left), atol=1e-6)


def test_every_part_covers_frames_of_an_example() -> None:
    one = sources((0, 20, 0, 30))
    both = Sources(1.0, 20, one.examples, (*one.parts, SourcePart("Arm", np.array([[0, 20, 0, 70.0, 1]]))))
    assert np.flatnonzero(both.covered(0)).tolist() == [*range(30, 50), *range(70, 90)]
    assert not both.covered(1).any()
    assert len(result_bands(both)) == 2


@pytest.mark.parametrize(("rate", "last"), [(0.5, 0.4), (1.0, 0.5), (2.0, 0.7)])
def test_a_stretch_at_a_rate_shows_as_much_of_its_example_and_ends_in_its_color(rate: float, last: float) -> None:
    timed = sources((0, 20, 0, 30), rate=rate)
    (band,) = result_bands(timed)
    assert band.edges[-1, 1] == 20.5
    np.testing.assert_allclose(band.colors[-1, 1], color_of(timed, 0, last), atol=1e-6)
    assert timed.of_frame(11.0) == (0, 1 + 30 + 10 * rate)
    assert np.flatnonzero(timed.covered(0)).tolist() == list(range(30, 31 + int(np.ceil(19 * rate))))


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("parts", [1, 3, 20])
@pytest.mark.parametrize("height", [40, 45, 60, 100, 400])
def test_nothing_overlaps_and_all_stays_below_the_frame_numbers(height: int, parts: int, scale: float) -> None:
    places = plan_places(height * scale, scale, parts)
    assert places is not None
    edges = list(places.rows) + ([places.legend] if places.legend else [])
    assert 1 <= len(places.rows) <= parts
    assert places.legend is None or len(places.rows) == parts
    for (low, high), (_, below) in itertools.pairwise(edges):
        assert high > low >= below
    assert places.bottom >= 0 and places.top <= (height - FRAME_NUMBERS) * scale


def test_a_flat_timeline_shows_the_ribbon_and_a_high_one_the_legend_too() -> None:
    flat, high = plan_places(40.0, 1.0, 1), plan_places(200.0, 1.0, 1)
    assert flat is not None and flat.legend is None
    assert high is not None and high.legend is not None
    assert plan_places(20.0, 1.0, 1) is None
