# SPDX-License-Identifier: GPL-3.0-or-later
"""Rough stretches made natural: nearer to the recording, as smooth as the examples, and nothing else changed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from legged import compass
from motions import walker, waver
from numpy.typing import NDArray

from genmm_addon.core import InputError, Motion, metrics, rotations
from genmm_addon.core.feet import soft_footing
from genmm_addon.core.feet.contact_detection import foot_heights
from genmm_addon.core.feet.soft_footing import accelerations, planted_softly
from genmm_addon.core.library import IndexedMotions, index_motions
from genmm_addon.core.motion import sample
from genmm_addon.core.motion.interpolation import monotone_cubic
from genmm_addon.core.repair import naturalize, naturalizing
from genmm_addon.core.repair.local_projection import quantile_mean

pytestmark = pytest.mark.filterwarnings("error")

FIRST, LAST = 60, 120


@pytest.fixture(scope="module")
def prepared() -> IndexedMotions:
    return index_motions([walker(240, seed) for seed in range(4)])


def rough(motion: Motion, step: int = 10, first: int = FIRST, last: int = LAST) -> Motion:
    """Return the motion with a key on every tenth frame of the stretch, and smooth curves between them."""
    keys, at = np.arange(first, last + 1, step), np.arange(first, last + 1.0)
    turned, moved = motion.rotations.copy(), motion.translations.copy()
    inside = slice(first, last + 1)
    own = monotone_cubic(keys.astype(float), motion.rotations[keys].astype(float), at)
    turned[inside] = rotations.normalize(own)
    moved[inside] = monotone_cubic(keys.astype(float), motion.translations[keys].astype(float), at)
    return replace(motion, rotations=turned, translations=moved)


def test_naturalized_motion_is_closer_to_the_original_and_as_smooth_as_the_examples(prepared: IndexedMotions) -> None:
    truth = walker(240, 9)
    given = rough(truth)
    made = naturalize(prepared, given, FIRST, LAST)
    assert metrics.l2_positions(made, truth) < 0.8 * metrics.l2_positions(given, truth)
    highest = [metrics.acceleration_ratios(made, example)[1] for example in prepared.motions]
    assert min(highest) <= 1.2


def places(motion: Motion, joints: str = "") -> NDArray[np.float64]:
    """Return the places of the joints whose names begin in this way, from the first to the last frame of the stretch"""
    chosen = [number for number, name in enumerate(motion.skeleton.names) if name.startswith(joints)]
    return motion.pose()[1][FIRST : LAST + 1, chosen].astype(np.float64)


def error(motion: Motion, truth: Motion, joints: str = "") -> float:
    return float(np.linalg.norm(places(motion, joints) - places(truth, joints), axis=2).mean())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("step", [6, 10, 15])
@pytest.mark.parametrize("kinds", [(walker, walker), (waver, waver), (walker, waver), (waver, walker)])
def test_examples_of_the_same_or_another_motion_never_lead_away_from_the_truth(
    kinds: tuple[Any, Any], step: int, seed: int
) -> None:
    of_truth, of_examples = kinds
    truth = of_truth(240, 9 + seed)
    given = rough(truth, step)
    made = naturalize(index_motions([of_examples(240, number) for number in range(4)]), given, FIRST, LAST)
    assert error(made, truth) <= error(given, truth) + 0.001 * truth.skeleton.size


def test_arms_that_move_unlike_the_examples_stay_while_the_legs_follow(prepared: IndexedMotions) -> None:
    walk, arms = walker(240, 9), [name in ("upper_arm.L", "forearm.L") for name in walker(240, 9).skeleton.names]
    turns = np.where(np.array(arms)[:, None], waver(240, 3).rotations, walk.rotations)
    truth = replace(walk, rotations=turns)
    given = rough(truth)
    made = naturalize(prepared, given, FIRST, LAST)
    assert error(made, truth, "shin") < 0.6 * error(given, truth, "shin")
    assert error(made, truth, "hand.L") < 1.1 * error(given, truth, "hand.L")


@pytest.mark.parametrize("straight", [True, False])
def test_keys_are_found_and_their_poses_hardly_change(prepared: IndexedMotions, straight: bool) -> None:
    given = few_keys(walker(240, 9), 10) if straight else rough(walker(240, 9))
    keys = np.arange(FIRST, LAST + 1, 10)
    assert naturalizing.key_frames(given, FIRST, LAST).tolist() == keys.tolist()
    made = naturalize(prepared, given, FIRST, LAST)
    changes = np.linalg.norm(places(made) - places(given), axis=2).mean(axis=1)
    assert changes[keys - FIRST].max() < 0.4 * changes.max()


def test_a_motion_without_keys_is_divided_evenly() -> None:
    assert np.ptp(np.diff(naturalizing.key_frames(walker(240, 9), FIRST, LAST))) <= 1


@pytest.mark.parametrize("frames", [120, 240, 480])
def test_a_whole_action_stays_where_it_goes_however_long_it_is(frames: int) -> None:
    """Velocities missing at the ends must not move the path aside, which would grow with the length."""
    library = index_motions([walker(frames, seed) for seed in range(4)])
    truth = walker(frames, 9)
    given = rough(truth, first=0, last=frames - frames % 10 - 10)
    made = naturalize(library, given, 0, frames - 1)
    away = np.linalg.norm(made.pose()[1] - truth.pose()[1], axis=2).mean(axis=1)
    as_given = np.linalg.norm(given.pose()[1] - truth.pose()[1], axis=2).mean(axis=1)
    assert away.mean() < 0.8 * as_given.mean() and away.max() < 1.2 * as_given.max()


def test_the_strength_goes_from_nothing_to_all_and_the_rest_stays(prepared: IndexedMotions) -> None:
    given = rough(walker(240, 9))
    made = [naturalize(prepared, given, FIRST, LAST, strength) for strength in (0.0, 0.3, 0.6, 1.0)]
    changes = [float(rotations.angle_between(one.rotations, given.rotations).sum()) for one in made]
    assert np.array_equal(made[0].rotations, given.rotations) and changes == sorted(changes)
    for one in made:
        for name, values in one.channels().items():
            assert np.array_equal(values[: FIRST + 1], given.channels()[name][: FIRST + 1])
            assert np.array_equal(values[LAST:], given.channels()[name][LAST:])


def test_examples_shorter_than_a_window_will_do() -> None:
    short = index_motions([walker(240, 1).slice(first, first + 9) for first in range(0, 120, 10)])
    assert naturalize(short, rough(walker(240, 9)), FIRST, LAST).frames == 240


def test_short_example_counts_as_much_as_a_long_one_of_another_kind() -> None:
    truth = walker(240, 9)
    standing = truth.take(np.zeros(240, np.int64))
    given = rough(truth, first=72, last=82)
    short = truth.slice(70, 85)
    assert short.frames < naturalizing.SETTINGS.seconds * truth.frames_per_second
    made = naturalize(index_motions([standing, short]), given, 72, 82)
    assert metrics.l2_positions(made, truth) < 0.8 * metrics.l2_positions(given, truth)


def test_a_mean_of_steps_is_as_long_in_the_air_as_each_of_them() -> None:
    frames = np.arange(40.0)
    phases = [np.clip((frames - begin) / 12, 0.0, 1.0) for begin in (12, 14, 17)]
    windows = 10.0 * np.sin(np.pi * np.array(phases))
    shares, mean = np.full((1, 3), 1 / 3), windows.mean(axis=0)
    spread = quantile_mean(mean[None, :, None], shares, windows[None, ..., None])[0, :, 0]
    low = [int((one < 1.0).sum()) for one in windows]
    assert (mean < 1.0).sum() < min(low) - 2
    assert min(low) <= (spread < 1.0).sum() <= max(low)
    assert np.array_equal(np.argsort(spread, kind="stable")[-5:], np.argsort(mean, kind="stable")[-5:])


def test_the_same_is_made_again(prepared: IndexedMotions) -> None:
    given = rough(walker(240, 9))
    one, other = (naturalize(prepared, given, FIRST, LAST, 0.7) for _ in range(2))
    assert np.array_equal(one.rotations, other.rotations) and np.array_equal(one.translations, other.translations)


@pytest.mark.parametrize(
    ("first", "last", "strength", "sentence"),
    [(60, 62, 1.0, "at least"), (-1, 50, 1.0, "at least"), (60, 90, 1.5, "strength"), (60, 90, np.nan, "strength")],
)
def test_invalid_ranges_and_strengths_are_rejected(
    prepared: IndexedMotions, first: int, last: int, strength: float, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        naturalize(prepared, walker(240, 9), first, last, strength)


def few_keys(motion: Motion, step: int = 9) -> Motion:
    """Return the motion with a key on every ninth frame of the stretch, and straight lines between them."""
    kept = np.unique([*range(FIRST, LAST, step), LAST])
    at = np.interp(np.arange(FIRST, LAST + 1), kept, np.arange(len(kept)))
    between = sample(motion.take(kept), at, motion.frames_per_second)
    channels = {name: values.copy() for name, values in motion.channels().items()}
    for name, values in between.channels().items():
        channels[name][FIRST : LAST + 1] = values
    return motion.with_channels(channels)


def test_keys_with_straight_lines_between_them_give_no_leave_to_jerk(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = [compass(seed=number) for number in range(4)]
    examples = index_motions(walks)
    assert examples.standing.feet
    given = few_keys(compass(seed=5))
    quickest = max(float(accelerations(one).max()) for one in walks)
    assert accelerations(given).max() > 1.5 * quickest
    allowed: list[tuple[NDArray[np.float64], float]] = []

    def planted(*values: Any, heights: NDArray[np.float64]) -> Motion:
        standing, contacts, drawn, fixed, highest = values
        above = heights - foot_heights(drawn, standing.feet)
        allowed.append((highest, float(np.abs(above[contacts]).max())))
        return planted_softly(standing, contacts, drawn, fixed, highest, heights=heights)

    monkeypatch.setattr(naturalizing, "planted_softly", planted)
    naturalize(examples, given, FIRST, LAST)
    highest, above = allowed[0]
    assert np.max(highest) < 1.1 * quickest
    assert above < 0.05 * given.skeleton.size, "the ground is where the motion has it"


@pytest.mark.parametrize("seed", [0, 1])
def test_no_joint_of_a_motion_that_is_natural_already_jerks(seed: int) -> None:
    walk = compass(seed=seed)
    made = naturalize(index_motions([walk]), walk, 1, walk.frames - 2)
    own, now = (accelerations(motion).max(axis=0) for motion in (walk, made))
    assert (now <= 1.1 * np.maximum(own, 0.1 * own.max())).all()


def test_a_full_turn_that_no_example_makes_stays_though_its_keys_stand() -> None:
    stands = waver(120)
    share = np.clip((np.arange(120) - FIRST) / 15, 0.0, 1.0)
    turns = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), 2 * np.pi * share)
    turned = stands.rotations.copy()
    turned[:, 0] = rotations.multiply(turned[:, 0].astype(float), turns)
    somersault = replace(stands, rotations=turned)
    made = naturalize(index_motions([stands]), somersault, FIRST, FIRST + 15)
    assert np.abs(made.pose()[1] - somersault.pose()[1]).max() < 0.01 * stands.skeleton.size


@pytest.mark.parametrize("frames", [6, 40])
@pytest.mark.parametrize("needed", [0, 3, 100])
def test_a_foot_is_let_go_as_long_before_and_after_as_it_needs(
    monkeypatch: pytest.MonkeyPatch, frames: int, needed: int
) -> None:
    """If a jump of its foot moves a leg beyond the quick frames, the leg jumps beside them when these are released."""
    laid, at = walker(240, 9).slice(60, 60 + frames), frames // 2

    def planted(_standing: object, _contacts: object, motion: Motion, fixed: NDArray[np.bool_], *_: object) -> Motion:
        held = np.flatnonzero(~fixed[max(at - needed, 0) : at + needed + 1].all(axis=1))
        moves = motion.translations.copy()
        moves[at] += 0.1 * len(held)
        return replace(motion, translations=moves)

    monkeypatch.setattr(soft_footing, "planted_around", planted)
    fixed = np.zeros(laid.rotations.shape[:2], bool)
    fixed[[0, -1]] = True
    library = index_motions([walker(240, 1)])
    contacts = np.zeros((frames, len(library.standing.feet)), bool)
    made = planted_softly(library.standing, contacts, laid, fixed, float(accelerations(laid).max()))
    jumps = float(np.abs(made.translations[at] - laid.translations[at]).max())
    if needed < frames // 2 or frames < 16:
        assert jumps == 0.0
    else:
        assert 0.0 < jumps < 0.1 * frames, "the calmest of all attempts"
