# SPDX-License-Identifier: GPL-3.0-or-later
"""The dance of the sample character."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core import Array, rotations
from .sample_arms import Arm, reaching_arm
from .sample_curves import Keys, drift, poses_through, turned
from .sample_feet import Foothold, FootTrack, track
from .sample_posing import Controls

LEFT_STEPS = (
    (1, 0.30, 0.00, 16), (4, -0.08, 0.02, 8), (5, 0.30, 0.00, 16), (8, 0.12, 0.00, 12), (9, 0.24, 0.01, 18),
    (15, 0.12, 0.00, 12), (17, 0.12, 0.10, 60), (22, 0.12, 0.00, 12),
)  # fmt: skip
RIGHT_STEPS = (
    (2, 0.08, 0.02, -8), (3, -0.30, 0.00, -16), (6, 0.08, 0.02, -8), (7, -0.12, 0.00, -12),
    (18, -0.10, -0.10, 32), (21, -0.12, 0.00, -12),
)  # fmt: skip
"""Steps of the left and right foot: the beat on which it lands, x and y in meters, heading in degrees."""

WEIGHT = (
    (0, (0.00, 0.00)), (0.4, (-0.03, 0.00)), (1, (0.12, -0.01)), (1.5, (0.19, 0.00)), (2, (0.23, 0.01)),
    (2.5, (0.19, 0.00)), (3, (-0.03, -0.01)), (3.5, (-0.18, 0.00)), (4, (-0.23, 0.01)), (4.5, (-0.19, 0.00)),
    (5, (0.03, -0.01)), (5.5, (0.18, 0.00)), (6, (0.23, 0.01)), (6.5, (0.19, 0.00)), (7, (0.06, 0.00)),
    (7.6, (-0.05, 0.00)), (8, (-0.02, 0.00)), (8.5, (-0.04, 0.00)), (9, (0.08, 0.00)), (9.4, (0.15, 0.01)),
    (10.4, (-0.04, 0.01)), (11.4, (0.16, 0.01)), (12.4, (-0.05, 0.01)), (13, (0.06, -0.04)),
    (13.5, (0.15, 0.01)), (14, (0.05, 0.05)), (14.5, (-0.06, 0.01)), (15, (0.00, 0.00)), (16, (0.02, 0.00)),
    (16.5, (-0.05, 0.00)), (17, (0.03, 0.03)), (17.5, (0.08, 0.06)), (18, (0.03, 0.02)), (19, (0.00, -0.02)),
    (20, (0.02, 0.03)), (20.5, (0.07, 0.05)), (21, (-0.01, 0.03)), (21.5, (-0.07, 0.00)), (22, (-0.01, 0.00)),
    (23, (0.015, 0.00)), (24, (0.00, 0.00)),
)  # fmt: skip
"""Positions of the hips by beat: x and y in meters."""

LEFT_HEEL = (
    (9.6, 0), (10.3, 26), (10.9, 0), (11.7, 0), (12.3, 26), (12.9, 0),
)  # fmt: skip
RIGHT_HEEL = (
    (8.7, 0), (9.3, 26), (9.9, 0), (10.7, 0), (11.3, 26), (11.9, 0), (13, 0), (13.5, 22), (14, 0),
)  # fmt: skip
"""Angles in degrees by which the free leg's left or right heel is raised in the sway, by beat."""

HIPS = (
    (0, (0, 0)), (1, (8, -4)), (2, (-6, -6)), (3, (-8, 4)), (4, (6, 6)), (5, (8, -4)), (6, (-6, -6)),
    (7, (-4, 2)), (8, (0, 0)), (9.3, (3, -10)), (10.3, (-3, 10)), (11.3, (3, -11)), (12.3, (-3, 11)),
    (13, (6, 2)), (13.5, (0, -9)), (14, (-6, -2)), (14.5, (0, 9)), (15.2, (0, 0)), (16, (-6, 0)),
    (17, (26, -2)), (18, (46, 3)), (19, (44, -3)), (20, (47, 3)), (21, (20, 3)), (22, (0, -3)), (22.5, (-5, 3)),
    (23, (4, -2)), (24, (0, 0)),
)  # fmt: skip
"""Rotation to the left and tilt to the left of the pelvis by beat, in degrees."""

CHEST = (
    (0, (0, 3, 0)), (1, (-10, 5, 3)), (2, (10, 1, 5)), (3, (10, 5, -3)), (4, (-10, 1, -5)), (5, (-12, 6, 4)),
    (6, (12, 0, 5)), (7, (5, 5, -2)), (8, (0, 3, 0)), (9.3, (-5, 0, 6)), (10.3, (5, 0, -6)), (11.3, (-6, 0, 7)),
    (12.3, (6, -1, -7)), (13, (-4, -3, 0)), (13.5, (0, 0, 6)), (14, (4, 4, 0)), (14.5, (0, 0, -6)),
    (15.2, (0, 5, 0)), (16, (-10, 4, 0)), (17, (36, 3, -4)), (18, (52, 9, 0)), (18.5, (48, -2, 0)),
    (19, (36, 10, 2)), (19.5, (40, -2, 0)), (20, (54, 9, -2)), (20.6, (36, 2, 0)), (21, (8, 4, 3)),
    (22, (-4, 5, 0)), (22.5, (9, 3, 0)), (23, (-7, 3, 0)), (23.5, (4, 3, 0)), (24, (0, 3, 0)),
)  # fmt: skip
"""Rotation to the left, forward lean and tilt to the left of the chest by beat, in degrees."""

HEAD = (
    (0, (0, 2, 0)), (1, (14, 3, 4)), (2, (8, 0, -5)), (3, (-14, 3, -4)), (4, (-8, 0, 5)), (5, (14, 3, 4)),
    (6, (8, 0, -5)), (8, (0, 2, 0)), (9, (14, -8, -3)), (10, (-10, -8, 3)), (12, (0, -6, -3)), (13, (6, -8, 3)),
    (14.5, (-4, -2, -4)), (16, (8, 4, 0)), (17, (46, 2, -3)), (18, (34, 6, 0)), (20, (40, 4, 3)),
    (20.7, (6, 2, 0)), (22, (0, 4, 0)), (24, (0, 2, 0)),
)  # fmt: skip
"""Rotation to the left, nod and tilt to the left of the head by beat, in degrees."""

LOOSE = (0.30, 0.10, -0.95, 0.10, -0.92, -0.40)
BACK = (0.36, 0.60, -0.75, 0.25, -0.75, -0.62)
FRONT = (0.22, -0.55, -0.80, -0.30, -0.80, 0.45)
WIDE = (0.92, -0.25, -0.20, 0.62, -0.50, 0.60)
UP = (0.55, -0.22, 0.80, 0.02, -0.12, 1.0)
FLOAT = (0.85, -0.20, -0.55, 0.75, -0.62, 0.05)
PUMP = (0.55, -0.45, -0.35, -0.10, -0.60, 0.85)
HIP = (0.62, 0.22, -0.75, -0.55, -0.55, -0.62)
"""Poses of an arm: directions of the left upper arm, then of the forearm (+X is outward)."""

LEFT_ARM = (
    (0, LOOSE), (1, BACK), (2, FRONT), (3, FRONT), (4, BACK), (5, BACK), (6, FRONT), (7.2, LOOSE), (8, FRONT),
    (8.8, WIDE), (9.5, UP), (10.2, UP), (10.9, WIDE), (11.5, FLOAT), (12.2, WIDE), (12.8, UP), (14, UP),
    (14.7, WIDE), (15.4, FLOAT), (16.2, LOOSE), (17, BACK), (18, PUMP), (18.5, FRONT), (19, BACK),
    (19.5, LOOSE), (20, PUMP), (20.6, FRONT), (21.2, LOOSE), (22, FLOAT), (23, LOOSE), (24, LOOSE),
)  # fmt: skip
RIGHT_ARM = (
    (0, LOOSE), (1, FRONT), (2, BACK), (3, BACK), (4, FRONT), (5, FRONT), (6, BACK), (7.2, LOOSE), (8.3, HIP),
    (9.1, HIP), (9.8, FLOAT), (10.3, WIDE), (11, UP), (11.7, UP), (12.3, WIDE), (12.9, UP), (14.1, UP),
    (14.8, WIDE), (15.5, FLOAT), (16.2, FRONT), (17, FLOAT), (18, BACK), (18.5, LOOSE), (19, PUMP),
    (19.5, FRONT), (20, BACK), (20.6, LOOSE), (21.2, FLOAT), (22, FLOAT), (23, LOOSE), (24, LOOSE),
)  # fmt: skip


BEAT = 0.5
BEATS = HIPS[-1][0]
SECONDS = BEATS * BEAT
SWING = 0.30
"""Seconds for which a stepping foot is in the air."""


def dance(times: Array) -> Controls:
    """Return the dance at `times` `(T,)` in seconds."""
    beats = times / BEAT
    bounce = np.cos(2 * np.pi * beats)  # 1 on the beat, when the knees are bent most
    ground = _keyed(times, WEIGHT, 0.08)
    pelvis, chest, head = _keyed(times, HIPS), _keyed(times, CHEST), _keyed(times, HEAD)
    late = np.cos(2 * np.pi * (beats - 0.14))
    depth = -0.046 - 0.017 * bounce * (1 + 0.25 * _settled(times) * drift(times, 3.3, 0.5))
    return Controls(
        travel=np.concatenate((ground, depth[:, None]), axis=1),
        hips=turned(pelvis[:, 0], 2.0 - 2.0 * late, pelvis[:, 1]),
        chest=turned(chest[:, 0], chest[:, 1] + 2.2 * late, chest[:, 2]),
        head=turned(head[:, 0], head[:, 1] + 3.0 * np.cos(2 * np.pi * (beats - 0.22)), head[:, 2]),
        arms=(_arm(times, LEFT_ARM, 1.0), _arm(times, RIGHT_ARM, -1.0)),
        feet=(_foot(times, LEFT_STEPS, 1.0), _foot(times, RIGHT_STEPS, -1.0)),
    )


def _keyed(times: Array, keys: Keys, softness: float = 0.07) -> Array:
    return poses_through(times, [(BEAT * beat, values) for beat, values in keys], softness)


def _settled(times: Array) -> Array:
    """Return a weight `(T,)` that is 1 in the middle of the dance and 0 at its ends, so that it ends as it begins."""
    share = np.clip(times / SECONDS, 0.0, 1.0)
    return np.asarray(4 * share * (1 - share))


def _foot(times: Array, steps: Sequence[tuple[float, float, float, float]], sign: float) -> FootTrack:
    """Return the track of a foot that steps on the beat, leaving from the ball and landing on the ball.

    In the sway, the heel of the free leg rises.
    """
    footholds = [Foothold(sign * 0.12, 0.0, sign * 12.0)]
    for beat, x, y, heading in steps:
        down = BEAT * beat
        leaving = max(footholds[-1].flat + 0.02, down - SWING - 0.18)
        footholds[-1] = replace(footholds[-1], heel_off=leaving, off=down - SWING, push=-34.0)
        footholds.append(Foothold(x, y, heading, down=down, flat=down + 0.08, strike=-20.0, lift=0.035))
    return track(times, footholds, _keyed(times, LEFT_HEEL if sign > 0 else RIGHT_HEEL)[:, 0])


def _arm(times: Array, keys: Keys, sign: float) -> Arm:
    """Return an arm whose forearm follows the upper arm with a delay, and whose hand follows the forearm."""
    upper, fore = _keyed(times, keys)[:, :3], _keyed(times - 0.04, keys)[:, 3:]
    pulse = np.cos(2 * np.pi * (times / BEAT - 0.15))
    fore = rotations.rotate(turned(0.0, 5.0 * pulse), fore)
    slower = _keyed(times - 0.13, keys)[:, 3:]
    flick = np.degrees(fore[:, 2] - slower[:, 2]) * 0.5
    sideways = -np.clip(0.6 * flick, -28.0, 28.0)
    return reaching_arm(sign, upper, fore, wrist=6.0 + 5.0 * pulse - 0.3 * flick, sideways=sideways)
