# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet: the joints that carry the body, and their contacts with the ground (paper, section 3.1).

A foot is found by its motion: it is the end of a limb, and is repeatedly near the ground and slow there while the body
moves on. Its name is only a hint if several joints of one limb qualify. Limbs that are copies of each other, as in
control rigs, are one leg with one foot.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, Float64, Mask
from ..errors import InputError
from ..motion import rotations
from ..motion.motion import Motion, joint_path, pose_along
from ..motion.skeleton import LIMB_REACH, SAME_PLACE, Skeleton
from .climbs import above_own_ground, on_level_ground, plan_of_climb
from .leg_copies import (
    Bends,
    copies_at_rest,
    find_copies,
    from_hip,
    limb_of,
    on_control,
    places_of_bends,
    share_together,
)
from .treadmill import FeetTracks, ground_velocities
from .twin_limbs import without_odd_limbs

NEAR_GROUND = 0.05
"""Largest height of a standing foot above its own lowest place, as a share of the skeleton's size."""
SLOW = 0.16
"""Largest speed of a standing foot along the ground, as a share of the skeleton's size per second."""
LOWEST_PERCENT = 2
"""Percentile of a height over time that counts as the lowest place."""
GROUND_BAND = 0.12
"""Largest height of a foot's lowest place above that of all joints, as a share of the skeleton's size."""
LEAST_STANDING = 0.08
"""Smallest share of the time for which a foot stands."""
LEAST_DROP = 0.1
"""Smallest mean height of a hip above its foot, as a share of the skeleton's size."""
TOES = 3
"""Smallest number of sibling joints at the end of a leg that are its toes."""
NAMES = ("toe", "ball")
"""Words in the name of the preferred joint among the last ones of a leg."""


@dataclass(frozen=True, eq=False)
class Foot:
    """A joint that stands, and the leg that carries it.

    joint: the one that stands. leg: from below the trunk to the joint whose place inverse kinematics
    decides, three joints or more; or the control that carries the foot, alone; else empty. copies: hip, knee and end of
    other chains that move with the leg and turn along with it; of a control, the legs that it brings along.

    >>> Foot(joint=3, leg=(1, 2, 3)).joint
    3
    """

    joint: int
    leg: tuple[int, ...]
    copies: tuple[Bends, ...] = ()

    @property
    def has_leg(self) -> bool:
        """Return whether the foot has a leg of its own, which inverse kinematics bends."""
        return len(self.leg) >= 3

    @property
    def movable(self) -> bool:
        """Return whether the foot can be moved: by the bends of its leg, or as the control of one."""
        return self.has_leg or bool(self.copies)


@dataclass(frozen=True)
class _Limb:
    """A limb as a part of a leg, of which others may be copies.

    leg: the first of the limbs that are copies of each other. company: the number of the other copies that end where
    this one ends, each times the share of the frames in which it does. place: the first of the limbs that rest where
    this one does, whether or not they move together. end: its last joint, or the ankle before toes.
    """

    leg: int
    company: float
    place: int
    end: int


def find_feet(motions: Sequence[Motion], *, treadmill: bool = False) -> tuple[Foot, ...]:
    """Return the feet of a skeleton, found from its motions; none if no joint stands.

    treadmill: feet also stand on ground that moves under a character in place, see label_contacts.

    >>> find_feet([swing])
    ()
    """
    skeleton = motions[0].skeleton
    limbs = _leg_ends(skeleton)
    if not limbs:
        return ()
    motions = [on_level_ground(motion) for motion in motions]
    lowest, standing = _behavior(motions, limbs, treadmill=treadmill)
    legs: set[int] = set()
    chosen: dict[int, int] = {}
    shared = _shared_legs(motions, limbs)
    for joint, share in standing.items():
        leg, company = shared[limbs[joint]].leg, shared[limbs[joint]].company
        legs.add(leg)
        if share < LEAST_STANDING:
            continue
        other = shared[limbs[chosen[leg]]].company if leg in chosen else -1.0
        if company > other or (company == other and _is_better(skeleton, joint, chosen[leg], lowest)):
            chosen[leg] = joint
    driven = legs - chosen.keys()
    controls = _standing_controls(motions, [shared[leg] for leg in sorted(driven)], treadmill=treadmill)
    chosen = {leg: joint for leg, joint in chosen.items() if shared[leg].place not in controls} | controls
    # Legs that rest where one that stands does, or a control, are moved by constraints, or not at all.
    known = {shared[limbs[joint]].place for joint in chosen.values() if joint in limbs} | controls.keys()
    driven = {leg for leg in driven if shared[leg].place not in known}
    # On a treadmill a foot seems to stand now and then. If most legs do not stand, none does.
    if len(chosen) <= len(driven):
        return ()
    kept = sorted(without_odd_limbs(skeleton, chosen).values())
    feet = [Foot(joint, ()) if joint in controls.values() else make_foot(skeleton, joint) for joint in kept]
    return with_copies(motions, feet)


def _standing_controls(motions: Sequence[Motion], driven: Sequence[_Limb], *, treadmill: bool) -> dict[int, int]:
    """Return the joints that stand on controls where inverse kinematics has a leg end, by the `place` of the leg.

    A control has translations of its own, and is not below the leg; a joint below it, as of the toes, may stand.
    driven: legs that do not stand.
    """
    skeleton = motions[0].skeleton
    places, least = skeleton.rest_positions, SAME_PLACE * skeleton.size
    moving: set[int] = set()
    for motion in motions:
        moving.update(motion.translated[np.ptp(motion.translations, axis=0).max(axis=1) > least].tolist())
    controls: dict[int, int] = {}
    for limb in driven:
        near = (joint for joint in sorted(moving) if np.linalg.norm(places[joint] - places[limb.end]) <= least)
        control = next((joint for joint in near if limb.leg not in skeleton.chain(joint)), None)
        if control is not None:
            below = np.flatnonzero(skeleton.descendants(control)).tolist()
            controls |= {joint: limb.place for joint in (control, *below) if joint not in controls}
    lowest, stand = _behavior(motions, controls, treadmill=treadmill) if controls else ({}, {})
    chosen: dict[int, int] = {}
    for joint, share in stand.items():
        leg = controls[joint]
        if share >= LEAST_STANDING and (leg not in chosen or _is_better(skeleton, joint, chosen[leg], lowest)):
            chosen[leg] = joint
    return chosen


def _shared_legs(motions: Sequence[Motion], limbs: Mapping[int, int]) -> dict[int, _Limb]:
    """Return the leg of which each limb is a part; limbs: by the joints in them.

    Two limbs are one leg if they are copies at rest, and both end at one place for at least the time for which a foot
    stands.
    """
    skeleton = motions[0].skeleton
    places = skeleton.rest_positions
    chains: dict[int, list[int]] = {}
    for joint, limb in limbs.items():
        ends = (joint, chains[limb][-1] if limb in chains else limb)
        chains[limb] = limb_of(skeleton, max(ends, key=lambda end: np.linalg.norm(places[end] - places[limb])))
    pairs: dict[tuple[int, int], tuple[int, int]] = {}
    for limb, chain in chains.items():
        leg = make_foot(skeleton, chain[-1]).leg
        for _, knee, end in copies_at_rest(skeleton, leg):
            other = next((other for other in chains if skeleton.descendants(other)[knee]), limb)
            if other != limb:
                pairs[min(limb, other), max(limb, other)] = leg[-1], end
    company, together = dict.fromkeys(chains, 0.0), []
    for pair, ends in pairs.items():
        share = share_together(motions, *ends)
        for limb in pair:
            company[limb] += share
        if share >= LEAST_STANDING:
            together.append(pair)
    leg_of, place_of = _joined(chains, together), _joined(chains, pairs)
    return {
        limb: _Limb(leg_of[limb], company[limb], place_of[limb], (make_foot(skeleton, chain[-1]).leg or chain)[-1])
        for limb, chain in chains.items()
    }


def _joined(limbs: Iterable[int], pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return the first limb of each group that pairs of limbs join, by its members."""
    first_of = {limb: limb for limb in limbs}
    for pair in pairs:
        first, second = sorted(first_of[limb] for limb in pair)
        first_of = {limb: first if group == second else group for limb, group in first_of.items()}
    return first_of


def with_copies(motions: Sequence[Motion], feet: Sequence[Foot]) -> tuple[Foot, ...]:
    """Return the feet with the copies of their legs in the motions, without those that are legs of other feet.

    >>> with_copies([swing], [Foot(joint=1, leg=())])[0].copies
    ()
    """
    own = {joint for foot in feet for joint in foot.leg}
    known = []
    for foot in feet:
        if foot.leg:
            leg = from_hip(motions, foot.leg)
            copies = find_copies(motions, leg)
        else:
            leg, copies = on_control(motions, foot.joint)
        known.append(Foot(foot.joint, leg, tuple(copy for copy in copies if own.isdisjoint(copy))))
    return tuple(known)


def feet_by_name(skeleton: Skeleton, names: Sequence[str]) -> tuple[Foot, ...]:
    """Return the feet with these names. Raises InputError for a name that is not a joint.

    >>> feet_by_name(swing.skeleton, ["nose"])
    Traceback (most recent call last):
        ...
    genmm_addon.core.errors.InputError: The foot 'nose' is not a joint of this skeleton; choose one of its joints.
    """
    feet = []
    for name in names:
        if name not in skeleton.names:
            raise InputError(f"The foot '{name}' is not a joint of this skeleton; choose one of its joints.")
        feet.append(make_foot(skeleton, skeleton.names.index(name)))
    return tuple(feet)


def make_foot(skeleton: Skeleton, joint: int) -> Foot:
    """Return the foot that stands on `joint`, with its leg found from the skeleton."""
    leg = limb_of(skeleton, joint)
    bones = np.linalg.norm(np.diff(skeleton.rest_positions[leg], axis=0), axis=1)
    # A toe is moved by its ankle. Below a short bone of the hip, the fourth joint is no toe.
    has_toe = len(leg) >= 4 and len(leg) - places_of_bends(bones)[0] >= 4
    return Foot(joint, tuple(leg[:-1] if has_toe else leg if len(leg) >= 3 else ()))


def label_contacts(
    motion: Motion,
    feet: Sequence[Foot],
    base: Array,
    slow: float = SLOW,
    *,
    treadmill: bool = False,
    climbs: bool | None = None,
) -> Mask:
    """Return the contacts `(T, len(feet))`: frames in which each foot is near the ground and slow along it.

    base: `(len(feet),)` the height of each foot on the ground, see ground_heights. slow: see SLOW. treadmill: feet also
    stand on ground that moves under a character in place; otherwise none stands there. climbs: the motion is part of a
    climb, in which the ground is where each foot comes down; None: if it climbs itself.

    >>> label_contacts(swing, [Foot(joint=1, leg=())], np.zeros(1)).shape
    (60, 1)
    """
    if not feet:
        return np.zeros((motion.frames, 0), bool)
    tracks = feet_tracks(motion, feet, base)
    if climbs or (climbs is None and plan_of_climb(motion) is not None):
        tracks = replace(tracks, heights=above_own_ground(tracks.heights, tracks.rate, tracks.slow))
    ground = ground_velocities(tracks)
    contacts = replace(tracks, slow=slow * motion.skeleton.size).stand(ground[:, None])
    return contacts if treadmill else np.asarray(contacts & ~ground.any(axis=1, keepdims=True))


def feet_tracks(motion: Motion, feet: Sequence[Foot], base: Array) -> FeetTracks:
    """Return the tracks of the feet of a motion; base: see label_contacts."""
    places = np.stack([joint_path(motion, foot.joint) for foot in feet], axis=1)
    return _tracks_of(places, base, [limb_of(motion.skeleton, foot.joint)[0] for foot in feet], motion)


def ground_under(places: Float64, base: Array, motion: Motion) -> Float64:
    """Return the velocities `(T, 3)` per second of the ground under the feet of a motion: zero, unless these walk in
    place.

    places: `(T, len(feet), 3)` of the feet. base: see label_contacts.
    """
    return ground_velocities(_tracks_of(places, base, np.arange(places.shape[1]), motion))


def _tracks_of(places: Float64, base: Array, legs: ArrayLike, motion: Motion) -> FeetTracks:
    """Return the tracks of joints at places `(T, K, 3)` of a motion; base: `(K,)` their heights on the ground."""
    size, up = motion.skeleton.size, np.array(motion.skeleton.up)
    heights = places @ up
    return FeetTracks(
        heights=heights - base,
        places=places - heights[..., None] * up,
        legs=np.asarray(legs),
        near=NEAR_GROUND * size,
        slow=SLOW * size,
        least=LEAST_STANDING,
        size=size,
        rate=motion.frames_per_second,
    )


def ground_heights(motions: Sequence[Motion], feet: Sequence[Foot]) -> Float64:
    """Return the height `(len(feet),)` at which each foot stands: its 2nd percentile over all examples.

    Examples that climb do not count unless all do, on level ground.

    >>> ground_heights([swing], [Foot(joint=1, leg=())]).shape
    (1,)
    """
    level = [motion for motion in motions if plan_of_climb(motion) is None]
    motions = level or [on_level_ground(motion) for motion in motions]
    heights = [np.concatenate([_heights(motion, foot.joint) for motion in motions]) for foot in feet]
    return np.array([np.percentile(values, LOWEST_PERCENT) for values in heights])


def foot_heights(motion: Motion, feet: Sequence[Foot]) -> Float64:
    """Return the heights `(T, len(feet))` of the feet."""
    return np.array([_heights(motion, foot.joint) for foot in feet]).reshape(len(feet), motion.frames).T


def _heights(motion: Motion, joint: int) -> Float64:
    """Return the height `(T,)` of one joint."""
    return np.asarray(joint_path(motion, joint) @ np.array(motion.skeleton.up))


def _behavior(
    motions: Sequence[Motion], limbs: Mapping[int, int], *, treadmill: bool
) -> tuple[dict[int, float], dict[int, float]]:
    """Return the lowest height of each joint in limbs, and for those that legs end at the share of time they stand."""
    skeleton = motions[0].skeleton
    joints, tops, up = list(limbs), list(limbs.values()), np.array(skeleton.up)
    needed = sorted({member for joint in (*joints, *tops) for member in skeleton.chain(joint)})
    # The knees of a spider are above its hips. The last four joints are at most those of hip, knee, ankle and toes.
    legs = [(top, *skeleton.chain(joint)[-4:]) for joint, top in zip(joints, tops, strict=True)]
    highest = [leg[int(np.argmax(skeleton.stance[list(leg)] @ up))] for leg in legs]
    of_joints, of_tops, of_highest = ([needed.index(joint) for joint in group] for group in (joints, tops, highest))
    places, drops = [], []
    for motion in motions:
        positions = pose_along(motion, needed)[1].astype(np.float64)
        places.append(positions[:, of_joints])
        drops.append(np.stack([(positions[:, above] - places[-1]) @ up for above in (of_tops, of_highest)]))
    heights = np.concatenate(places) @ up
    lowest = np.percentile(heights, LOWEST_PERCENT, axis=0)
    often_low = (heights - lowest < NEAR_GROUND * skeleton.size).mean(axis=0) >= LEAST_STANDING
    # A hand that once reaches the floor is not there long enough to be a leg, and may pass below the ground.
    ground = lowest[often_low].min() if often_low.any() else lowest.min()
    hangs = np.concatenate(drops, axis=1).mean(axis=1).max(axis=0) >= LEAST_DROP * skeleton.size
    ends = np.flatnonzero(often_low & hangs & (lowest <= ground + GROUND_BAND * skeleton.size))
    stands = []
    for motion, of_motion in zip(motions, places, strict=True):
        tracks = _tracks_of(of_motion[:, ends], lowest[ends], np.array(tops)[ends], motion)
        ground = ground_velocities(tracks) if treadmill else np.zeros((motion.frames, 3))
        stands.append(tracks.stand(ground[:, None]))
    shares = np.concatenate(stands).mean(axis=0)
    return (
        dict(zip(joints, lowest.tolist(), strict=True)),
        {joints[end]: share for end, share in zip(ends.tolist(), shares.tolist(), strict=True)},
    )


def _leg_ends(skeleton: Skeleton) -> dict[int, int]:
    """Return the limb of each candidate foot: the last three joints of limbs long enough to be legs, without toes."""
    children = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=len(skeleton.names))
    ends: dict[int, int] = {}
    for leaf in np.flatnonzero(children == 0):
        chain, limb = skeleton.chain(int(leaf)), limb_of(skeleton, int(leaf))[0]
        # Along the bones: in a natural pose, a short leg may be bent.
        bones = np.diff(skeleton.stance[chain[chain.index(limb) :]], axis=0)
        if rotations.lengths(bones).sum() < LIMB_REACH * skeleton.size:
            continue
        for joint in chain[max(chain.index(limb) + 2, len(chain) - 3) :]:
            if children[skeleton.parents[joint]] < TOES:
                ends[joint] = limb
    return dict(sorted(ends.items()))


def _is_better(skeleton: Skeleton, joint: int, than: int, lowest: dict[int, float]) -> bool:
    """Return whether `joint` is a better foot than another of its limb: by name, by height, by the joints below it."""
    named, other = (any(word in skeleton.names[index].lower() for word in NAMES) for index in (joint, than))
    if named != other:
        return named
    if abs(lowest[joint] - lowest[than]) > 1e-2 * skeleton.size:
        return lowest[joint] < lowest[than]
    return bool(skeleton.branch_sizes[joint] > skeleton.branch_sizes[than])
