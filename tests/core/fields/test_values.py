# SPDX-License-Identifier: GPL-3.0-or-later
"""Values given to the core: those that scripts would write are accepted, others are refused before computing."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from motions import walker

from genmm_addon.core import InputError, prepare, synthesize
from genmm_addon.core.fields import items, number, whole_number


@given(st.integers(-(2**53), 2**53))
def test_a_whole_number_is_taken_in_every_type(value: int) -> None:
    for written in (value, float(value), np.int64(value), np.float64(value), np.array(value)):
        found = whole_number(written, "x")
        assert found == value and type(found) is int


@pytest.mark.slow
@given(
    st.floats().filter(lambda value: not value.is_integer())
    | st.text()
    | st.booleans()
    | st.none()
    | st.complex_numbers()
)
def test_other_values_are_rejected_as_whole_numbers(value: Any) -> None:
    with pytest.raises(InputError, match="x must be a whole number"):
        whole_number(value, "x")


@given(st.text() | st.booleans() | st.none() | st.lists(st.integers()) | st.just(10**400))
def test_invalid_numbers_are_rejected_with_one_sentence(value: Any) -> None:
    with pytest.raises(InputError) as refusal:
        number(value, "x")
    assert str(refusal.value).endswith(".") and "\n" not in str(refusal.value) and len(str(refusal.value)) < 120


@given(st.lists(st.integers(0, 99)))
def test_every_collection_of_whole_numbers_is_the_same_tuple(values: list[int]) -> None:
    take = items(whole_number, "a list")
    written = (values, tuple(values), iter(values), np.array(values, np.int64), [np.int8(value) for value in values])
    assert {take(one, "x") for one in written} == {tuple(values)}


def test_prepare_and_synthesize_take_a_single_motion_and_numbers_of_any_type() -> None:
    walk = walker(120)
    plain = synthesize(prepare([walk]), 40, seed=3)
    other = synthesize(walk, 40.0, seed=np.int64(3))  # type: ignore[arg-type]
    again = synthesize(prepare(walk, frames_per_second=np.float32(walk.frames_per_second)), np.array(40), seed=3)  # type: ignore[arg-type]
    for found in (other, again):
        np.testing.assert_array_equal(found.motion.rotations, plain.motion.rotations)


@pytest.mark.parametrize(
    "wrong",
    [
        {"frames": 40.5}, {"frames": "40"}, {"frames": None}, {"frames": True}, {"frames": 0}, {"seed": -1},
        {"seed": 0.5}, {"seed": None}, {"constraints": None}, {"constraints": "loop"}, {"examples": []},
        {"examples": None}, {"examples": [3]}, {"examples": "walk"},
    ],
    ids=repr,
)  # fmt: skip
def test_synthesize_rejects_meaningless_arguments(wrong: dict[str, Any]) -> None:
    values: dict[str, Any] = {"examples": [walker(60)], "frames": 40} | wrong
    with pytest.raises(InputError):
        synthesize(values.pop("examples"), values.pop("frames"), **values)


@pytest.mark.parametrize(
    "wrong",
    [
        {"frames_per_second": 0}, {"frames_per_second": "30"}, {"frames_per_second": np.nan}, {"names": ["a", "b"]},
        {"names": [1]}, {"settings": None}, {"settings": {}}, {"parts": ["Legs"]}, {"parts": 3},
    ],
    ids=repr,
)  # fmt: skip
def test_prepare_rejects_meaningless_arguments(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        prepare([walker(60)], **wrong)
