# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests by which two versions of the code are compared."""

from dataclasses import replace

import numpy as np
import pytest

from bench.same.digests import differences, digest, digests_of
from bench.same.edits import edit_cases
from bench.same.operators import EDITS, operator_cases
from bench.same.results import plain_cases
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import prepare, synthesize
from genmm_addon.core.library import Clip, library_of


@pytest.mark.arrays
def test_a_digest_tells_bytes_shapes_and_types_apart() -> None:
    values = np.arange(6.0)
    assert digest(values) == digest(values.copy())
    others = (values + np.spacing(1.0), values.reshape(2, 3), values.astype(np.float32))
    assert len({digest(values), *map(digest, others)}) == 4


@pytest.mark.arrays
def test_the_same_result_has_the_same_digest_and_one_changed_bit_another() -> None:
    result = synthesize(prepare([sample_motions(30.0)["GenMM Wave"]]), 60)
    assert digest(result) == digest(result)
    rotations = result.motion.rotations.copy()
    rotations[30, 3, 0] = np.nextafter(rotations[30, 3, 0], np.float32(2.0))
    assert digest(replace(result, motion=replace(result.motion, rotations=rotations))) != digest(result)
    assert digest(replace(result, source_frames=result.source_frames + 1)) != digest(result)


@pytest.mark.arrays
def test_every_kind_of_control_gives_another_result() -> None:
    cases = digests_of(plain_cases(sample_motions(30.0)["GenMM Walk"]))
    assert {"default", "pins", "given part", "loop", "loop in place", "settings"} <= set(cases)
    assert len(set(cases.values())) == len(cases)


@pytest.mark.arrays
def test_differences_list_changed_missing_and_new_cases() -> None:
    old, new = {"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}
    assert differences(old, new) == ["b: differs", "c: gone", "d: new"]
    assert differences(old, dict(old)) == []


@pytest.mark.slow
def test_every_edit_has_a_digest_that_a_second_run_repeats() -> None:
    named = sample_motions(30.0)
    clips = [Clip(name, "", 0, 0, {"style": name.split()[-1].lower()}) for name in named]
    library = library_of(list(named.values()), clips)
    cases = digests_of(edit_cases(library))
    assert digests_of(edit_cases(library)) == cases
    assert {"fill", "continue", "regenerate", "connect", "natural", "repair", "restyle", "blend", "steer"} <= set(cases)
    assert {"coarse keys", "ground up", "reach", "labels", "library file", "clusters"} <= set(cases)
    assert not [name for name, value in cases.items() if value.startswith("refused")]
    assert len(set(cases.values())) == len(cases)


@pytest.mark.usefixtures("extension")
def test_every_operator_that_edits_an_action_has_a_digest() -> None:
    cases = digests_of(operator_cases())
    assert not [name for name, value in cases.items() if value.startswith("refused")]
    assert len(set(cases.values())) == len(EDITS)
