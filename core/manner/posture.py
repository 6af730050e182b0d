# SPDX-License-Identifier: GPL-3.0-or-later
"""Posture of the trunk and tempo of a style, which can be applied to any action."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Float64
from ..features.body_parts import limb_partition
from ..library.indexed_motions import IndexedMotions
from ..motion import rotations
from ..motion.motion import Motion, sample
from ..motion.root_motion import without_heading
from .matching import FASTEST, SLOWEST
from .style_free_rows import mean_rotations, style_free_rows


def posture_and_tempo(
    content: Motion, style: IndexedMotions, strength: float, keep_timing: bool
) -> tuple[Motion, Float64]:
    """Return a motion with its trunk held as in the style, and the positions `(T,)` of the content that it shows.

    Legs, arms and the root do not change. Without `keep_timing`, its tempo is that of the style: each joint's speed
    divided by its swing, averaged over the joints.
    """
    plan = style.index.space.plan
    example = style.motions[0].skeleton
    trunk = [joint for joint in limb_partition(example, legs_apart=True)[0].joints if joint not in plan.anchored]
    means = [
        mean_rotations(
            np.concatenate([without_heading(motion, plan).rotations.astype(np.float64) for motion in motions])
        )
        for motions in ([content], style.motions)
    ]
    away = rotations.to_vector(rotations.multiply(rotations.inverse(means[0]), means[1])) * strength
    turned = content.rotations.astype(np.float64).copy()
    turned[:, trunk] = rotations.multiply(turned[:, trunk], rotations.from_vector(away)[trunk])
    channels = content.channels() | {"rotations": rotations.make_continuous(turned).astype(np.float32)}
    positions = np.arange(content.frames, dtype=np.float64)
    posed = content.with_channels(channels)
    if keep_timing:
        return posed, positions
    ratio = _tempo(style.motions, style) / max(_tempo([content], style), 1e-9)
    tempo = float(np.clip(ratio, SLOWEST, FASTEST)) ** strength
    positions = np.arange(0.0, content.frames - 1 + 1e-6, tempo)
    return sample(posed, positions, content.frames_per_second), positions


def _tempo(motions: Sequence[Motion], style: IndexedMotions) -> float:
    """Return the mean ratio of joints' speed to swing, in radians per frame and radian, weighted by swing."""
    plan = style.index.space.plan
    feet = [np.zeros((motion.frames, 0), bool) for motion in motions]
    rows = style_free_rows(motions, plan, feet)
    return float(np.average(rows.speeds / np.maximum(rows.swings, 1e-6), weights=rows.swings + 1e-9))
