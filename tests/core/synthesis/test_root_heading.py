# SPDX-License-Identifier: GPL-3.0-or-later
"""Headings of results, if they are free."""

from dataclasses import replace

import numpy as np
import pytest
from motions import turned_and_moved, walker, waver

from genmm_addon.core import Facing, Prepared, Settings, prepare, synthesize
from genmm_addon.core.motion.filters import smoothstep
from genmm_addon.core.motion.root_motion import RootTrack, encode_root
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis.root_trajectory import STEER_SHARE, face_as_sources


def headings(track: RootTrack) -> np.ndarray:
    return 2.0 * np.unwrap(np.arctan2(track.heading[:, 3], track.heading[:, 0]), period=np.pi)


def played(starts: list[int], sources: list[int], frames: int) -> tuple[Prepared, Segments, RootTrack]:
    """Return the prepared walker, the given segments of it, and its track with a continuous heading."""
    prepared = prepare([walker()], settings=Settings(facing=Facing.FREE))
    segments = Segments(np.array(starts), np.array(sources), frames)
    shown, own = segments.source_frames(), prepared.examples.tracks[0]
    track = type(own)(*(getattr(own, name)[shown] for name in own.__dataclass_fields__))
    return prepared, segments, track


def test_an_unbroken_run_is_walked_as_the_example_was() -> None:
    prepared, segments, track = played([0], [20], 80)
    led = face_as_sources(prepared.examples, track, segments)
    own = prepared.examples.tracks[0]
    assert led.heading == pytest.approx(own.heading[20:100], abs=1e-3)
    assert led.ground - led.ground[0] == pytest.approx(own.ground[20:100] - own.ground[20], abs=1e-2)


def test_after_a_cut_that_turns_the_result_comes_back_to_its_sources() -> None:
    prepared, segments, track = played([0, 60], [0, 110], 180)
    led = face_as_sources(prepared.examples, track, segments)
    sources = headings(prepared.examples.tracks[0])[segments.source_frames()]
    away = np.angle(np.exp(1j * (headings(led) - sources)))
    assert abs(away[-1]) <= abs(away[60]) + 1e-6
    assert np.abs(away).mean() < 0.3


def test_steering_is_slow_compared_to_the_turns_of_the_example() -> None:
    prepared, segments, track = played([0, 60, 120], [0, 110, 30], 180)
    led = face_as_sources(prepared.examples, track, segments)
    fastest = np.abs(prepared.examples.tracks[0].yaw_rate).max()
    assert np.abs(led.yaw_rate - track.yaw_rate).max() <= STEER_SHARE * fastest + 1e-6


def test_a_heading_that_is_kept_is_not_steered() -> None:
    prepared = prepare([walker()], settings=Settings(facing=Facing.KEEP, foot_locking=False))
    result = synthesize(prepared, 300, seed=1)
    assert np.all(encode_root(result.motion, prepared.root).heading[:, 0] == 1.0)


@pytest.mark.parametrize("degrees", [180, -180, 90, 270])
def test_transitions_of_examples_that_end_turned_turn_no_faster_than_these(degrees: int) -> None:
    angles = np.radians(degrees) * smoothstep(np.linspace(0.0, 1.0, 240))
    prepared = prepare([turned_and_moved(waver(), angles, (0.0, 0.0, 0.0))])
    plan = replace(prepared.root, facing=Facing.FREE)

    def fastest(track: RootTrack) -> float:
        return float(np.abs(track.yaw_rate).max())

    limit = 1.2 * fastest(encode_root(prepared.motions[0], plan))
    for seed in range(6):
        assert fastest(encode_root(synthesize(prepared, 600, seed=seed).motion, plan)) <= limit
