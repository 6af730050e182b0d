# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of sets of motions: the changes to which they respond, and the order of their sizes."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from motions import in_other_units, turned_and_moved, walker, waver

from genmm_addon.core import InputError, Motion, resample, rotations
from genmm_addon.core.evaluation import Reference, SetMeasures, measure_set, prepare_reference
from genmm_addon.core.motion import gaussian
from genmm_addon.core.motion.motion import sample

pytestmark = pytest.mark.filterwarnings("error")

KIND = range(12)
"""Seeds of the reference's motions; the sets use others."""


def motions_of(seeds: Sequence[int]) -> list[Motion]:
    return [make(240, seed) for seed in seeds for make in (walker, waver)]


@pytest.fixture(scope="module")
def reference() -> Reference:
    return prepare_reference(motions_of(KIND))


def others() -> list[Motion]:
    return motions_of(range(12, 24))


def faster(motion: Motion, factor: float) -> Motion:
    positions = np.arange(int((motion.frames - 1) / factor) + 1, dtype=np.float64) * factor
    return sample(motion, positions, motion.frames_per_second)


def with_jumps(motion: Motion, every: int, seed: int) -> Motion:
    """Return the motion cut into pieces in another order, each placed where the one before ended."""
    random = np.random.default_rng(seed)
    frames: list[int] = []
    for _ in range(0, motion.frames, every):
        start = int(random.integers(0, motion.frames - every))
        frames += range(start, start + every)
    found = motion.take(np.array(frames))
    moves = found.translations.copy()
    for seam in range(every, found.frames, every):
        moves[seam:] += moves[seam - 1] - moves[seam]
    return replace(found, translations=moves)


def smoothed(motion: Motion, frames: int) -> Motion:
    bell = gaussian(3 * frames, frames)

    def filtered(values: np.ndarray) -> np.ndarray:
        padded = np.pad(values, ((3 * frames, 3 * frames), *((0, 0),) * (values.ndim - 1)), mode="edge")
        return np.apply_along_axis(np.convolve, 0, padded, bell, "valid").astype(np.float32)

    turns = filtered(rotations.make_continuous(motion.rotations))
    return replace(motion, rotations=rotations.normalize(turns), translations=filtered(motion.translations))


def shaken(motion: Motion, radians: float, seed: int) -> Motion:
    turns = np.random.default_rng(seed).normal(scale=radians, size=(*motion.rotations.shape[:2], 3))
    return replace(
        motion, rotations=rotations.multiply(motion.rotations, rotations.from_vector(turns)).astype(np.float32)
    )


def changed(change: Callable[[Motion, int], Motion]) -> list[Motion]:
    return [change(motion, seed) for seed, motion in enumerate(others())]


@pytest.mark.slow
def test_measured_distance_ranks_changes_by_severity(reference: Reference) -> None:
    sets = {
        "others": others(),
        "a tenth faster": changed(lambda motion, _: faster(motion, 1.1)),
        "a jump every three seconds": changed(lambda motion, seed: with_jumps(motion, 80, seed)),
        "smoothed": changed(lambda motion, _: smoothed(motion, 8)),
        "one clip repeated": [walker(240, 12)] * 24,
    }
    found = {name: measure_set(motions, reference).fid for name, motions in sets.items()}
    assert sorted(found, key=lambda name: found[name]) == list(sets), found


@pytest.mark.slow
def test_more_noise_and_more_jumps_are_worse(reference: Reference) -> None:

    def of_noise(radians: float) -> float:
        return measure_set(changed(lambda motion, seed: shaken(motion, radians, seed)), reference).fid

    def of_jumps(every: int) -> float:
        return measure_set(changed(lambda motion, seed: with_jumps(motion, every, seed)), reference).fid

    noise, jumps = [of_noise(radians) for radians in (0.0, 0.005, 0.02, 0.08)], [of_jumps(80), of_jumps(40)]
    assert noise == sorted(noise)
    assert jumps == sorted(jumps)


def test_noise_of_a_thousandth_does_not_outweigh_everything(reference: Reference) -> None:
    slight = measure_set(changed(lambda motion, seed: shaken(motion, 0.002, seed)), reference).fid
    assert slight < measure_set(changed(lambda motion, _: smoothed(motion, 8)), reference).fid


def test_a_set_of_one_kind_is_precise_and_recalls_little(reference: Reference) -> None:
    walks = measure_set([walker(240, seed) for seed in range(12, 24)], reference)
    both = measure_set(others(), reference)
    assert walks.precision > 0.9 * both.precision
    assert walks.recall < 0.7 * both.recall
    assert walks.diversity < both.diversity


def test_the_reference_itself_is_at_no_distance(reference: Reference) -> None:
    found = measure_set(motions_of(KIND), reference)
    assert found.fid == pytest.approx(0.0, abs=1e-6)
    assert (found.precision, found.recall) == (1.0, 1.0)
    assert found.diversity == pytest.approx(found.reference_diversity)


def values(found: SetMeasures) -> list[float]:
    return [found.fid, found.kid, found.precision, found.recall, found.diversity]


@pytest.mark.slow
def test_place_facing_units_and_rate_change_no_measure(reference: Reference) -> None:
    plain = values(measure_set(others(), reference))
    elsewhere = [turned_and_moved(motion, 1.1, (3.0, -2.0, 0.0)) for motion in others()]
    assert values(measure_set(elsewhere, reference)) == pytest.approx(plain, rel=0.02, abs=1e-3)
    larger = prepare_reference([in_other_units(motion, 100.0) for motion in motions_of(KIND)])
    found = measure_set([in_other_units(motion, 100.0) for motion in others()], larger)
    assert values(found) == pytest.approx(plain, rel=0.02, abs=1e-3)
    doubled = [resample(motion, 60.0)[0] for motion in others()]
    assert measure_set(doubled, reference).fid == pytest.approx(plain[0], rel=0.1)


def test_multimodality_is_that_of_motions_made_alike(reference: Reference) -> None:
    motions = others()
    names = ["walk" if number % 2 == 0 else "wave" for number in range(len(motions))]
    alike, mixed = measure_set(motions, reference, names), measure_set(motions, reference)
    assert alike.multimodality is not None
    assert mixed.multimodality is not None
    assert alike.multimodality < mixed.multimodality
    assert measure_set(motions[:1], reference).multimodality is None


def test_another_skeleton_and_motions_below_a_second_get_a_sentence(reference: Reference) -> None:
    with pytest.raises(InputError, match="at least two windows of one second"):
        measure_set([walker(240, 1).slice(0, 29)], reference)
    with pytest.raises(InputError, match="at least two windows of one second"):
        prepare_reference([walker(240, 1).slice(0, 29)])
    with pytest.raises(InputError, match="no clips to compare with"):
        prepare_reference([])
