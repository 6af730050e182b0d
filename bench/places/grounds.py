# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of clips on stairs, slopes and rough ground, and results with a pose pinned on stairs."""

import time
from collections.abc import Iterator

import numpy as np

from genmm_addon.core import Constraints, PoseConstraint, prepare, synthesize
from genmm_addon.core.constraints import OnGround, lowered_poses
from genmm_addon.core.environment import put_on_ground

from .common import Example, depth_in, knee_flexion, knees_beside, surface_of

KINDS = ("flat", "up", "down", "slope up", "slope down", "rough")
SEEDS = (1, 2)
FRAMES = 180
"""Most frames of a result with a pinned pose; a shorter clip has fewer."""
PINNED = 0.6
"""The pinned frame, as a share of the result."""


def ground_rows(example: Example) -> Iterator[dict[str, object]]:
    """Yield the measures of the clip on each kind of ground."""
    for kind in KINDS:
        surface = surface_of(example, kind)
        begun = time.process_time()
        put = put_on_ground(example.motion, surface, example.standing, example.root)
        yield {
            "ground": kind,
            "knees": knees_beside(example, put.motion),
            "flexion": knee_flexion(example, put.motion),
            "in_mesh": depth_in(example, surface, put.motion),
            "seconds": time.process_time() - begun,
            "frames": example.motion.frames,
            "notes": len(put.notes),
        }


def pin_rows(example: Example) -> Iterator[dict[str, object]]:
    """Yield the measures of results with a pose of the clip pinned on stairs."""
    surface = surface_of(example, "up")
    frames = min(FRAMES, example.motion.frames)
    on_stairs = put_on_ground(example.motion, surface, example.standing, example.root).motion.slice(0, frames)
    at = round(PINNED * frames)
    joints, place = np.zeros((frames, len(on_stairs.skeleton.names)), bool), np.zeros(frames, bool)
    joints[at], place[at] = True, True
    poses, given = lowered_poses(PoseConstraint(on_stairs, joints, place), surface, example.motion, example.root)
    for seed in SEEDS:
        constraints = Constraints(poses, others=(OnGround(surface, given),))
        made = synthesize(prepare([example.motion]), frames, seed=seed, constraints=constraints).motion
        away = np.abs(made.pose()[1][at] - on_stairs.pose()[1][at]).max()
        yield {
            "seed": seed,
            "knees": knees_beside(example, made),
            "in_mesh": depth_in(example, surface, made),
            "missed": float(away) / example.motion.skeleton.size,
        }
