# SPDX-License-Identifier: GPL-3.0-or-later
"""Polishing: performed motions made again at full quality, on the same path."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from legged import marcher
from motions import walker
from test_controller import FORWARD, SIDEWAYS, motions, played

from genmm_addon.core import Motion, Wish
from genmm_addon.core.feet import label_contacts
from genmm_addon.core.feet.planting import find_standing
from genmm_addon.core.library import index_motions
from genmm_addon.core.live import KEPT_WITHIN, farthest, polish, polishing
from genmm_addon.core.motion import RootPlan
from genmm_addon.core.motion.motion import joint_path


def root_of(motion: Motion) -> RootPlan:
    return index_motions([motion]).index.space.plan


def moved(motion: Motion, frame: int, by: float) -> Motion:
    """Return the motion with its root displaced by a number of sizes from a frame on."""
    translations = motion.translations.copy()
    translations[frame:, 0, 0] += by * motion.skeleton.size
    return motion.with_channels({**motion.channels(), "translations": translations})


def test_the_farthest_frame_and_its_distance_are_found() -> None:
    motion = walker(60)
    further = moved(moved(motion, 20, 0.3), 41, -0.1)
    frame, gap = farthest(further, motion, root_of(motion))
    assert 20 <= frame < 41
    assert gap == pytest.approx(0.3, abs=1e-4)


def test_polished_motion_keeps_the_performed_path() -> None:
    performed = played([Wish(velocity=1.2 * way) for way in (FORWARD, SIDEWAYS) for _ in range(45)])[1]
    made = polish(motions(), performed).motion
    assert made.frames == performed.frames
    assert farthest(made, performed, root_of(performed))[1] < KEPT_WITHIN


@pytest.mark.parametrize(
    ("beside", "chosen", "tried"),
    [
        ((0.05, 0.0, 0.1, 0.0), {0, 1, 2}, 3),
        ((0.9, 0.5, 0.7, 0.02, 0.0), {3}, 4),
        ((0.9, 0.8, 0.7, 0.6, 0.5, 0.6), {4}, 6),
    ],
)
def test_the_motion_that_keeps_the_way_is_taken(
    beside: tuple[float, ...], chosen: set[int], tried: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    performed = walker(60)
    attempts: Iterator[Motion] = iter([moved(performed, 30, gap) for gap in beside])
    made: list[Motion] = []

    @dataclass(frozen=True)
    class Result:
        motion: Motion

    def synthesized(*_arguments: object, **_settings: object) -> Result:
        made.append(next(attempts))
        return Result(made[-1])

    monkeypatch.setattr(polishing, "synthesize", synthesized)
    best = polish([performed], performed).motion
    assert len(made) == tried
    root = root_of(performed)
    assert any(farthest(best, made[number], root)[1] < 1e-3 for number in chosen)
    assert np.isfinite(best.translations).all()


def test_polishing_stops_feet_that_creep_in_the_clips() -> None:
    marching = marcher()[0]
    translations = marching.translations.copy()
    translations[:, 0, 1] += 0.06 * np.arange(marching.frames) / marching.frames_per_second
    creeping = marching.with_channels({**marching.channels(), "translations": translations})
    standing = find_standing([creeping], root_of(creeping))

    def creep(motion: Motion) -> float:
        """Return the mean speed of feet on the ground while they stand, in sizes per second."""
        stands = label_contacts(motion, standing.feet, standing.ground)
        places = np.stack([joint_path(motion, foot.joint) for foot in standing.feet], axis=1)[..., :2]
        speeds = np.linalg.norm(np.diff(places, axis=0), axis=2) * motion.frames_per_second / motion.skeleton.size
        return float(speeds[stands[1:] & stands[:-1]].mean())

    made = polish([creeping], creeping.slice(0, 120)).motion
    assert creep(made) < 0.3 * creep(creeping)
