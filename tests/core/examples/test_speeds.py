# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds of the examples and positions of their joints, without joints that are not part of the body."""

from dataclasses import replace

import numpy as np
from motions import walker

from genmm_addon.core import Motion, Prepared, Skeleton, metrics, prepare, synthesize
from genmm_addon.core.motion import without_heading
from genmm_addon.core.planning.crossfades import plan_crossfades
from genmm_addon.core.planning.segments import Segments


def in_a_room(motion: Motion) -> Motion:
    """Return the motion on a skeleton with a first joint fixed in the room, above the one that travels."""
    old = motion.skeleton
    skeleton = Skeleton(
        ("room", *old.names),
        np.append(-1, old.parents + 1),
        np.concatenate((np.array([[1, 0, 0, 0]], np.float32), old.rest_rotations)),
        np.concatenate((np.zeros((1, 3), np.float32), old.rest_translations)),
        old.up,
    )
    still = np.tile(np.array([1, 0, 0, 0], np.float32), (motion.frames, 1, 1))
    rotations = np.concatenate((still, motion.rotations), axis=1)
    return replace(motion, skeleton=skeleton, rotations=rotations, translated=motion.translated + 1)


def crossfaded(prepared: Prepared) -> np.ndarray:
    """Return the frames of a crossfade between two steps that are distant from each other in the room."""
    segments = Segments(np.array([0, 100]), np.array([0, 20]), 200)
    examples = prepared.examples
    return plan_crossfades(segments, examples.bounds, examples.channels, examples.speeds, 30.0).frames


def test_a_joint_that_stands_in_the_room_makes_no_crossfade_longer() -> None:
    alone, in_room = (prepare([motion]) for motion in (walker(), in_a_room(walker())))
    assert in_room.root.joint == 1
    assert np.array_equal(crossfaded(in_room), crossfaded(alone))


def test_results_of_a_walk_are_as_near_to_it_with_a_joint_that_stands_in_the_room() -> None:
    def distance(motion: Motion) -> float:
        prepared = prepare([motion])
        example = without_heading(prepared.motions[0], prepared.root)
        results = [without_heading(synthesize(prepared, 480, seed=seed).motion, prepared.root) for seed in range(4)]
        return float(np.mean([metrics.local_distance(result, example) for result in results]))

    assert distance(in_a_room(walker())) < 1.3 * distance(walker())
