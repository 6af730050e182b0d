# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples: refusals in one sentence, and combinations of different lengths, rates and units."""

from typing import TypedDict, Unpack

import numpy as np
import pytest
from measures import is_sound, joint_speeds, same_sources, shown_frames
from motions import (
    MotionMaker,
    in_other_units,
    turned_and_moved,
    under_a_static_top,
    walker,
    waver,
    with_channel,
    with_foot_controls,
    with_scales_and_scalars,
)

from genmm_addon.core import InputError, Motion, Settings, prepare, rotations, synthesize
from genmm_addon.core.examples import with_noise
from genmm_addon.core.motion.motion import resample


class Told(TypedDict, total=False):
    """The options of `prepare`."""

    frames_per_second: float
    names: tuple[str, ...]
    settings: Settings


class WrongSetting(TypedDict, total=False):
    """A setting out of its range."""

    patch_frames: int
    coarsest_patches: float
    pyramid_factor: float
    completeness: float
    iterations: int
    noise: float


def refusal(*examples: Motion, **told: Unpack[Told]) -> str:
    """Return the sentence with which `prepare` refuses the examples."""
    with pytest.raises(InputError) as caught:
        prepare(examples, **told)
    sentence = str(caught.value)
    assert sentence.endswith(".") and sentence[0].isupper() and ". " not in sentence and "\n" not in sentence
    return sentence


def broken(motion: Motion, channel: str, value: float) -> Motion:
    values = motion.channels()[channel].copy()
    values[12].flat[0] = value
    return with_channel(motion, channel, values)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("channel", ["rotations", "translations", "scales", "scalars"])
def test_non_finite_value_is_rejected_with_the_name_of_the_example(channel: str, value: float) -> None:
    good = with_scales_and_scalars()
    sentence = refusal(good, broken(good, channel, value), names=("Calm", "Wild"))
    assert "Wild" in sentence and channel[:-1] in sentence and "12" in sentence


@pytest.mark.parametrize("frames", [1, 5, 9])
def test_an_example_too_short_to_vary_is_refused_with_its_name_and_length(frames: int) -> None:
    sentence = refusal(walker(), walker().slice(0, frames), names=("Long", "Short"))
    assert "Short" in sentence and f"{frames} frame" in sentence


def test_an_example_that_is_too_short_at_the_rate_of_the_result_is_refused() -> None:
    assert "8 frames at 5 fps" in refusal(walker().slice(0, 45), frames_per_second=5.0)


def test_an_example_without_frames_is_refused() -> None:
    assert "Empty has no frames" in refusal(walker().slice(0, 0), names=("Empty",))


def test_no_example_at_all_is_refused() -> None:
    assert "no example" in refusal()


def test_examples_without_names_are_counted() -> None:
    assert "Example 2" in refusal(walker(), walker().slice(0, 5))


@pytest.mark.parametrize("other", [under_a_static_top, with_foot_controls, with_scales_and_scalars])
def test_examples_with_other_joints_or_channels_are_refused(other: MotionMaker) -> None:
    sentence = refusal(walker(), other(), names=("Walk", "Other"))
    assert "Other" in sentence and "Walk" in sentence


def test_unknown_root_joint_is_rejected() -> None:
    assert "'pelvis'" in refusal(walker(), settings=Settings(root="pelvis"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"patch_frames": 0},
        {"coarsest_patches": 0.5},
        {"coarsest_patches": float("nan")},
        {"pyramid_factor": 0.05},
        {"pyramid_factor": 1.0},
        {"pyramid_factor": float("nan")},
        {"completeness": 0.0},
        {"completeness": -1.0},
        {"completeness": float("nan")},
        {"iterations": 0},
        {"noise": -0.1},
        {"noise": float("nan")},
    ],
    ids=str,
)
def test_a_setting_out_of_its_range_is_refused(wrong: WrongSetting) -> None:
    with pytest.raises(InputError):
        Settings(**wrong)


@pytest.mark.slow
@pytest.mark.parametrize("make", [walker, waver, with_foot_controls])
def test_a_rig_in_other_units_shows_the_same_frames_and_poses(make: MotionMaker) -> None:
    method = Settings(foot_locking=False)
    for seed in range(3):
        own = synthesize(prepare([make()], settings=method), 480, seed=seed)
        other = synthesize(prepare([in_other_units(make(), 100)], settings=method), 480, seed=seed)
        assert same_sources(own, other) == 1
        assert other.motion.pose()[1] / 100 == pytest.approx(own.motion.pose()[1], abs=1e-2)


@pytest.mark.parametrize("make", [walker, waver, under_a_static_top, with_foot_controls])
def test_a_character_is_as_large_as_its_body_wherever_it_goes(make: MotionMaker) -> None:
    size = prepare([make()]).motions[0].skeleton.size
    assert size == pytest.approx(walker().skeleton.size, rel=0.25)
    moved = prepare([turned_and_moved(make(), 0.6, (4.0, 9.0, 0.0))]).motions[0].skeleton.size
    assert moved == pytest.approx(size, rel=1e-3)


def test_several_examples_of_different_lengths_are_all_shown() -> None:
    examples = [walker(200), waver(90), waver(31, seed=2)]
    result = synthesize(examples, 800, seed=1)
    assert is_sound(result.motion)
    assert set(result.source_examples[:, 0].tolist()) == {0, 1, 2}
    for example, motion in enumerate(examples):
        shown = result.source_frames[result.source_examples == example]
        assert shown.min() >= 0 and shown.max() <= motion.frames - 1


def test_poses_of_several_examples_are_those_of_the_frames_named() -> None:
    examples = [walker(200), waver(150)]
    prepared, errors = prepare(examples, settings=Settings(foot_locking=False)), []
    for seed in range(4):
        result = synthesize(prepared, 700, seed=seed)
        for frame, (example, source) in enumerate(shown_frames(result)):
            own = examples[example].rotations[source, 1:]
            errors.append(float(rotations.angle_between(result.motion.rotations[frame, 1:], own).max()))
    # Most frames are outside of crossfades.
    assert np.mean(np.array(errors) < 1e-3) > 0.5


def test_examples_of_other_rates_come_at_the_rate_of_the_first() -> None:
    fast = resample(walker(240, seed=3), 60.0)[0]
    result = synthesize([walker(), fast], 600, seed=2)
    assert result.motion.frames_per_second == 30.0
    own = joint_speeds(walker().pose()[1]).mean()
    assert joint_speeds(result.motion.pose()[1]).mean() == pytest.approx(own, rel=0.1)
    of_fast = result.source_frames[result.source_examples == 1]
    # The original's own frames, at twice the rate.
    assert of_fast.max() > 300
    assert np.median(np.diff(of_fast)) == 2


def test_the_rate_of_the_result_may_be_asked_for() -> None:
    ready = prepare([walker()], frames_per_second=24.0)
    result = synthesize(ready, 300, seed=1)
    assert result.motion.frames_per_second == ready.frames_per_second == 24.0
    assert np.median(np.diff(result.source_frames[:, 0])) == pytest.approx(30 / 24)
    assert result.source_frames.max() <= walker().frames - 1
    per_second = joint_speeds(result.motion.pose()[1]).mean() * 24
    assert per_second == pytest.approx(joint_speeds(walker().pose()[1]).mean() * 30, rel=0.1)


def test_another_noise_on_the_same_preparation_is_as_if_prepared_with_it() -> None:
    motions = [walker(120)]
    quick = synthesize(with_noise(prepare(motions, settings=Settings(noise=0.1)), 3.0), 180, seed=3)
    anew = synthesize(prepare(motions, settings=Settings(noise=3.0)), 180, seed=3)
    other = synthesize(prepare(motions, settings=Settings(noise=0.1)), 180, seed=3)
    assert quick.motion.rotations.tobytes() == anew.motion.rotations.tobytes()
    assert not np.array_equal(quick.source_frames, other.source_frames)
    with pytest.raises(InputError, match="Variety"):
        with_noise(prepare(motions), -1.0)


def test_the_examples_are_left_as_they_are() -> None:
    motion = with_scales_and_scalars()
    before = {name: values.copy() for name, values in motion.channels().items()}
    synthesize([motion], 200)
    assert all(np.array_equal(values, before[name]) for name, values in motion.channels().items())
