# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeds and file names in their command line form."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genmm_addon.command_line.arguments.values import parse_seeds
from genmm_addon.command_line.outputs.file_names import check_pattern, file_name
from genmm_addon.core import InputError
from genmm_addon.generation.request import LARGEST_SEED

pytestmark = pytest.mark.arrays
VALUES = {"name": "walk", "character": "Hero", "action": "Sway", "seed": 7}


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=50, unique=True))
def test_seeds_that_are_listed_come_in_their_order(seeds: list[int]) -> None:
    assert parse_seeds(",".join(map(str, seeds))) == tuple(seeds)


@given(st.integers(0, LARGEST_SEED), st.integers(0, 300), st.integers(1, 9))
def test_a_range_has_both_ends(first: int, more: int, step: int) -> None:
    last = min(first + more, LARGEST_SEED)
    assert parse_seeds(f"{first}-{last}") == tuple(range(first, last + 1))
    assert parse_seeds(f"{first}-{last}:{step}") == tuple(range(first, last + 1, step))


def test_no_seed_is_made_twice() -> None:
    assert parse_seeds("0-3, 2-5,1") == (0, 1, 2, 3, 4, 5)


@pytest.mark.parametrize("text", ["", "x", "-1", "3-1", "1-", "1--2", "0-9:0", "1.5", "²", "9" * 30, "0-99999999999"])
def test_invalid_seeds_are_rejected_with_one_sentence(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_seeds(text)
    assert str(refusal.value).endswith(".")


@given(st.text(max_size=30))
def test_any_text_is_seeds_or_a_sentence(text: str) -> None:
    with suppress(InputError):
        assert all(0 <= seed <= LARGEST_SEED for seed in parse_seeds(text))


def test_a_pattern_stands_for_names_and_seed() -> None:
    assert check_pattern("out/{name}-{character}-{action}_{seed:04}.npz") == {"name", "character", "action", "seed"}
    assert file_name("out/{name}_{seed:04}.npz", VALUES) == Path("out/walk_0007.npz")
    assert file_name("{{x}}{seed}.npz", VALUES) == Path("{x}7.npz")


@pytest.mark.parametrize(
    "pattern",
    ["{frame}", "{name.__class__}", "{name[0]}", "{seed!r}", "{0}", "{}", "{seed:>9999999}", "{name:999}", "{", "}{"],
)
def test_a_pattern_with_anything_else_is_refused(pattern: str) -> None:
    with pytest.raises(InputError):
        check_pattern(pattern)


@given(st.text(max_size=40))
def test_no_name_leads_out_of_the_folder(text: str) -> None:
    path = file_name("out/{action}_{seed}.npz", VALUES | {"action": text})
    assert path.parent == Path("out")
    alone = file_name("out/{action}", VALUES | {"action": text})
    assert alone.parent == Path("out") and alone.name not in ("", ".", "..")
