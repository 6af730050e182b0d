# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands of clips brought to places near their own, for up to a second."""

import time
from collections.abc import Iterator

import numpy as np

from genmm_addon.core import metrics
from genmm_addon.core.environment import Reach, find_body, meet_places

from .common import Example, travel_of

MET = 1e-3
"""Largest distance from its place, in sizes of the skeleton, at which a hand counts as there."""
TRIALS = ((0.1, 0.0), (-0.2, 0.0), (0.0, 0.25))
"""Offsets of the place from the hand, up and to one side, in sizes of the skeleton."""
SECONDS = (0.2, 0.6, 1.0)
"""Time in seconds that the hand stays at the place, for each trial."""
NAMES = ("righthand", "hand_r", "hand.r", "rhand", "rightwrist")


def hand_of(example: Example) -> int | None:
    """Return the joint of the right hand, found by its name; None without one."""
    bare = [name.lower().replace("_", "").replace(" ", "") for name in example.motion.skeleton.names]
    known = [name.replace("_", "") for name in NAMES]
    return next((joint for joint, name in enumerate(bare) if name.endswith(tuple(known))), None)


def hand_rows(example: Example) -> Iterator[dict[str, object]]:
    """Yield the measures of each trial; nothing for a clip without a right hand."""
    hand, motion = hand_of(example), example.motion
    if hand is None:
        return
    size, up = motion.skeleton.size, np.array(motion.skeleton.up)
    places = motion.pose()[1].astype(np.float64)
    way = travel_of(example)[-1] - travel_of(example)[0]
    side = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))]) if np.linalg.norm(way) < 0.1 * size else None
    if side is None:
        along = places[-1, example.root] - places[0, example.root]
        side = np.cross(along - (along @ up) * up, up)
    side /= np.linalg.norm(side)
    body = find_body([motion], [hand])
    for (higher, aside), seconds in zip(TRIALS, SECONDS, strict=True):
        first = motion.frames // 2
        end = min(motion.frames - 10, first + max(2, round(seconds * motion.frames_per_second)))
        active = np.zeros(motion.frames, bool)
        active[first:end] = True
        target = places[first:end, hand].mean(axis=0) + size * (higher * up + aside * side)
        reach = Reach(hand, active, np.tile(target, (motion.frames, 1)))
        begun = time.process_time()
        met = meet_places(motion, [reach], body)
        after = met.motion.pose()[1].astype(np.float64)
        away = float(np.linalg.norm(after[active, hand] - target, axis=1).max()) / size
        feet = [foot.joint for foot in example.standing.feet]
        yield {
            "place": f"{higher:g} higher, {aside:g} to a side",
            "frames": end - first,
            "met": bool(away <= MET),
            "missed": away,
            "acceleration": metrics.acceleration_ratios(met.motion, motion)[1],
            "feet_moved": float(np.abs(after[:, feet] - places[:, feet]).max(initial=0.0)) / size,
            "seconds": time.process_time() - begun,
        }
