# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps filled out of a library: the best windows between two poses, laid there, and feet that stay."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..feet.calm_knees import Knees, find_knees
from ..feet.contact_detection import Foot, find_feet, foot_heights, ground_heights, label_contacts
from ..feet.leg_ik import ik_weights_beside, lock_feet
from ..motion import rotations
from ..motion.filters import smoothstep
from ..motion.motion import Motion, pose_along, sample
from ..motion.root_motion import place_and_heading
from ..search.pose_index import PoseIndex, build_pose_index
from .gap import Filling, Gap, Window
from .gap_search import measure_ends, rank_windows
from .laying import lay_window

FEET_CLIPS = 40
"""So many clips, evenly spread, tell which joints are feet and where the ground is."""
PLANTED_SECONDS = 0.25
"""Feet are planted in full this long after a gap begins and before it ends."""
SHORTEST_PLANTED_SECONDS = 0.75
"""In shorter gaps the poses at the ends decide where feet are; planting them too let captured ones slide more."""


@dataclass(frozen=True, eq=False)
class FillingLibrary:
    """Motions on one skeleton, ready to fill gaps: their index, and what their feet are.

    ground: `(len(feet),)` the height of each foot on the ground.

    >>> isinstance(prepare_filling([swing]), FillingLibrary)
    True
    """

    motions: Sequence[Motion]
    index: PoseIndex
    feet: tuple[Foot, ...]
    ground: NDArray[np.float64]
    knees: Knees


def prepare_filling(motions: Sequence[Motion], root: int | None = None) -> FillingLibrary:
    """Return motions on one skeleton and at one rate, ready to fill gaps; root: the joint that travels.

    Raises InputError where there is none, or where skeletons or rates differ.

    >>> prepare_filling([swing]).index.frames
    60
    """
    index = build_pose_index(motions, root)
    chosen = np.unique(np.linspace(0, len(motions) - 1, min(len(motions), FEET_CLIPS)).astype(np.int64))
    some = [motions[number] for number in chosen]
    feet = find_feet(some)
    return FillingLibrary(motions, index, feet, ground_heights(some, feet), find_knees(some, feet))


def fill_gap(
    library: FillingLibrary,
    gap: Gap,
    frames: int,
    count: int = 1,
    allowed: NDArray[np.bool_] | None = None,
) -> tuple[Filling, ...]:
    """Return up to `count` motions of `frames` frames from pose to pose, the best first, each from another clip.

    allowed: `(M,)` the motions that may be used; None is all. Raises InputError for a gap below two frames, and where
    no motion is long enough.

    >>> gap = Gap(swing.slice(0, 20), swing.slice(40, 60))
    >>> fill_gap(prepare_filling([swing]), gap, frames=21)[0].motion.frames
    22
    """
    if frames < 2:
        raise InputError(
            "A gap to fill lasts at least two frames from pose to pose; choose keys farther from each other."
        )
    index = library.index
    ranked = rank_windows(index, measure_ends(index, gap, frames), frames, allowed)
    if not ranked:
        raise InputError(f"No clip of the library is as long as the gap of {frames} frames; choose a shorter gap.")
    return tuple(_filling(library, gap, frames, window) for window in ranked[:count])


def _filling(library: FillingLibrary, gap: Gap, frames: int, window: Window) -> Filling:
    index = library.index
    clip = int(index.clips[window.start])
    first, motion = window.start - int(index.starts[clip]), library.motions[clip]
    positions = first + np.arange(-1, frames + 2) * (window.length / frames)
    played = sample(motion, np.clip(positions, 0.0, motion.frames - 1.0), gap.before.frames_per_second)
    laid = lay_window(played, gap, index.space.plan)
    planted = _planted(library, played.slice(1, frames + 2), laid)
    return Filling(planted, clip, first, window.length, window.cost)


def _planted(library: FillingLibrary, played: Motion, laid: Motion) -> Motion:
    """Return a laid window whose feet stand when they do in the library; the poses at its ends stay."""
    if not library.feet or laid.frames < SHORTEST_PLANTED_SECONDS * laid.frames_per_second:
        return laid
    contacts, plan = label_contacts(played, library.feet, library.ground), library.index.space.plan
    fixed = np.zeros(laid.rotations.shape[:2], bool)
    fixed[[0, -1]] = True
    weights = ik_weights_beside(fixed, library.feet, plan.joint, laid.frames_per_second)
    heights = foot_heights(laid, library.feet)
    nowhere = np.zeros(0, np.int64)
    own = _own_ways(played, laid, library, contacts)
    locked = lock_feet(laid, library.feet, contacts, heights, nowhere, plan.joint, weights, library.knees, own)
    return _beside_ends(laid, locked)


def _beside_ends(laid: Motion, locked: Motion) -> Motion:
    """Return the locked motion, which becomes the laid one toward both ends, so that speeds meet there."""
    frames = np.arange(laid.frames)
    away = np.minimum(frames, laid.frames - 1 - frames) / max(PLANTED_SECONDS * laid.frames_per_second, 1.0)
    weights = smoothstep(np.clip(away, 0.0, 1.0)).astype(np.float32)
    turns = rotations.slerp(
        laid.rotations, locked.rotations, np.broadcast_to(weights[:, None], laid.rotations.shape[:2])
    )
    moves = laid.translations + weights[:, None, None] * (locked.translations - laid.translations)
    return replace(laid, rotations=rotations.make_continuous(turns).astype(np.float32), translations=moves)


def _own_ways(
    played: Motion, laid: Motion, library: FillingLibrary, contacts: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the ways `(T, len(feet), 3)` that feet go along the ground by themselves while they stand."""
    up, plan = np.array(laid.skeleton.up), library.index.space.plan
    turns = [place_and_heading(motion, plan)[1] for motion in (laid, played)]
    facing = rotations.from_axis_angle(np.broadcast_to(up, (laid.frames, 3)), turns[0] - turns[1])
    ways = np.zeros((*contacts.shape, 3))
    for index, foot in enumerate(library.feet):
        places = pose_along(played, played.skeleton.chain(foot.joint))[1][:, -1].astype(np.float64)
        steps = np.diff(places, axis=0)
        turned = rotations.rotate(facing[:-1], steps - (steps @ up)[:, None] * up)
        stands = contacts[:-1, index] & contacts[1:, index]
        ways[1:, index] = np.cumsum(turned * stands[:, None], axis=0)
    return ways
