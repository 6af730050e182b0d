# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands that touch the own body: found, and kept on a body of other proportions."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from motions import (
    BIPED,
    FORWARD,
    RATE,
    SIDEWAYS,
    UPWARD,
    MotionMaker,
    build_skeleton,
    pose_channels,
    turn,
    walker,
    waver,
)

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.motion import joined
from genmm_addon.core.transfer import (
    contacts_to_keep,
    find_bodies,
    keep_in_clips,
    missed_contacts,
    retarget,
    with_self_contacts,
)
from genmm_addon.core.transfer.self_contacts import clips as clips_module
from genmm_addon.core.transfer.self_contacts.bodies import BodyPair, pose_body
from genmm_addon.core.transfer.self_contacts.detecting import HANDS, SelfContact, find_self_contacts

FRAMES = 150
SETTLED = 8
"""Number of frames after which a slow hand near a bone has come to rest."""
SHORT_ARMS = {"forearm": 0.75, "hand": 0.75}
LONG_ARMS = {"forearm": 1.3, "hand": 1.3}
WIDE_HIPS = {"thigh": 1.8}
PROPORTIONS = (SHORT_ARMS, LONG_ARMS, WIDE_HIPS, {"upper_arm": 1.3})
CALM = 4.5 / RATE**2
"""Acceleration that is not seen as hasty, in units per squared frame."""


def clapping() -> Motion:
    """Return a biped that claps five times before its chest, with hanging arms before and after."""
    time = np.arange(FRAMES) / RATE
    raised = np.clip(np.minimum(time - 0.5, 4.5 - time) / 0.6, 0.0, 1.0)
    raised = raised**2 * (3.0 - 2.0 * raised)
    apart = 0.45 * raised * (1.0 - np.cos(2.0 * np.pi * (time - 1.1) / 0.6)) * ((time > 1.1) & (time < 4.1))
    turns = {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        hang = turn(FORWARD, sign * 1.35 * np.ones(FRAMES))
        swing = turn(SIDEWAYS, 0.6 * raised)
        turns[f"upper_arm.{side}"] = rotations.multiply(swing, hang)
        bent = rotations.multiply(turn(UPWARD, sign * raised * (0.92 - apart)), turn(SIDEWAYS, 1.6 * raised))
        turns[f"forearm.{side}"] = rotations.multiply(bent, hang)
    # A joint's rotation continues to its children, but the given ones are those of each joint itself.
    skeleton = build_skeleton(BIPED)
    for side in "LR":
        above = rotations.inverse(turns[f"upper_arm.{side}"])
        turns[f"forearm.{side}"] = rotations.multiply(above, turns[f"forearm.{side}"])
    return Motion(skeleton, RATE, pose_channels(skeleton, turns, FRAMES))


def resting() -> Motion:
    """Return the biped with its left hand at its hip for two seconds, and a hanging right arm."""
    time = np.arange(FRAMES) / RATE
    share = np.clip(np.minimum(time - 0.5, 4.5 - time) / 0.8, 0.0, 1.0)
    share = share**2 * (3.0 - 2.0 * share)
    turns = {"upper_arm.R": turn(FORWARD, -1.35 * np.ones(FRAMES)), "upper_arm.L": turn(FORWARD, 1.35 - 0.75 * share)}
    turns["forearm.L"] = turn(FORWARD, 1.95 * share)
    skeleton = build_skeleton(BIPED)
    return Motion(skeleton, RATE, pose_channels(skeleton, turns, FRAMES))


def stretched(skeleton: Skeleton, shares: Mapping[str, float]) -> Skeleton:
    """Return the skeleton with distances of joints to their parents scaled by name, without sides."""
    factors = np.array([shares.get(name.split(".")[0], 1.0) for name in skeleton.names])
    return replace(skeleton, rest_translations=skeleton.rest_translations * factors[:, None])


def brought_over(motion: Motion, shares: Mapping[str, float]) -> tuple[Motion, Motion, BodyPair]:
    """Return the motion on other proportions, the same with its contacts kept, and the bodies."""
    target = stretched(motion.skeleton, shares)
    pairs = {name: name for name in target.names}
    result = retarget(motion, target, pairs, motion.translated)
    bodies = find_bodies(motion.skeleton, target, pairs)
    assert bodies is not None
    return result, with_self_contacts(result, contacts_to_keep(motion, target, pairs)), bodies


def off(contact: SelfContact, source: Motion, result: Motion, bodies: BodyPair) -> float:
    """Return the largest distance of a resting hand from where it touches, in sizes of the skeleton."""
    there, here = pose_body(source, bodies.source), pose_body(result, bodies.target)
    inside = slice(contact.start + SETTLED, contact.stop - SETTLED)
    if contact.bone == HANDS:
        ways = here.palms[1] - here.palms[0] - bodies.scale * (there.palms[1] - there.palms[0])
    else:
        # The trunk has the same proportions here, so the vector from a bone's end is as in the source.
        bone, hand = contact.bone, contact.hand
        ways = here.palms[hand] - here.ends[bone] - bodies.scale * (there.palms[hand] - there.ends[bone])
    return float(np.linalg.norm(ways[inside], axis=1).max() / result.skeleton.size)


def quickest(motion: Motion, part: str) -> float:
    joints = [number for number, name in enumerate(motion.skeleton.names) if name.startswith(part)]
    path = motion.pose()[1][:, joints].astype(np.float64)
    return float(np.linalg.norm(np.diff(path, 2, axis=0), axis=2).max())


def contacts_of(motion: Motion) -> list[SelfContact]:
    bodies = find_bodies(motion.skeleton, motion.skeleton, {name: name for name in motion.skeleton.names})
    assert bodies is not None
    return find_self_contacts(motion, bodies.source, pose_body(motion, bodies.source))


def test_claps_are_one_contact_and_a_hand_at_the_hip_is_another() -> None:
    (clap,) = contacts_of(clapping())
    assert clap.bone == HANDS and 30 < clap.start < 45 and 105 < clap.stop < 135
    (rest,) = contacts_of(resting())
    assert rest.bone != HANDS and rest.stop - rest.start > 60


@pytest.mark.parametrize("motion", [walker(), waver()])
def test_arms_that_swing_or_wave_touch_nothing_and_stay_as_they_are(motion: Motion) -> None:
    assert contacts_of(motion) == []
    for shares in PROPORTIONS:
        result, kept, _ = brought_over(motion, shares)
        assert kept is result


@pytest.mark.parametrize("shares", PROPORTIONS)
@pytest.mark.parametrize("make", [clapping, resting])
def test_contacts_are_kept_on_the_new_character(make: MotionMaker, shares: Mapping[str, float]) -> None:
    motion = make()
    result, kept, bodies = brought_over(motion, shares)
    (contact,) = contacts_of(motion)
    before, after = off(contact, motion, result, bodies), off(contact, motion, kept, bodies)
    assert after < 0.01
    assert before > 0.02 or kept is result
    for part in ("hand", "forearm"):
        assert quickest(kept, part) < 1.25 * max(quickest(result, part), quickest(motion, part), CALM)


@pytest.mark.parametrize("make", [clapping, resting])
def test_arms_alone_move_and_only_beside_a_contact(make: MotionMaker) -> None:
    motion = make()
    result, kept, _ = brought_over(motion, SHORT_ARMS)
    names = motion.skeleton.names
    moved = {names[joint] for joint in np.flatnonzero((kept.rotations != result.rotations).any(axis=(0, 2)))}
    assert moved and moved <= {f"{name}.{side}" for name in ("upper_arm", "forearm", "hand") for side in "LR"}
    assert np.array_equal(kept.translations, result.translations)
    changed = np.flatnonzero((kept.rotations != result.rotations).any(axis=(1, 2)))
    assert changed[0] > 0 and changed[-1] < FRAMES - 1
    hands = [names.index(f"hand.{side}") for side in "LR"]
    assert np.abs(kept.pose()[0][:, hands] - result.pose()[0][:, hands]).max() < 1e-5
    steps = np.einsum("tjc,tjc->tj", kept.rotations[1:], kept.rotations[:-1])
    assert steps.min() > 0.5, "neighbors have the same sign"


def test_same_proportions_or_missing_hands_change_nothing() -> None:
    motion = clapping()
    result, kept, _ = brought_over(motion, {})
    assert kept is result
    chain = replace(motion.skeleton.along((0, 1, 2)), names=("bone 0", "bone 1", "bone 2"))
    assert find_bodies(chain, chain, {name: name for name in chain.names}) is None


@pytest.mark.parametrize("make", [clapping, resting])
def test_contacts_that_arms_are_too_short_for_are_told(make: MotionMaker) -> None:
    motion = make()
    pairs = {name: name for name in motion.skeleton.names}
    for shares, missed in ((SHORT_ARMS, 0), ({"forearm": 0.25, "hand": 0.25}, 1)):
        result, kept, _ = brought_over(motion, shares)
        contacts = contacts_to_keep(motion, result.skeleton, pairs)
        assert contacts is not None and len(contacts.contacts) == 1
        assert missed_contacts(kept, contacts) == missed
        assert missed_contacts(result, contacts) == 1


def test_clips_on_the_same_proportions_need_no_look_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = joined([clapping(), resting()])
    target = replace(motion.skeleton, rest_translations=motion.skeleton.rest_translations * 1.5)
    pairs = {name: name for name in target.names}
    result = retarget(motion, target, pairs, motion.translated)
    monkeypatch.setattr(clips_module, "hands_near", None)
    kept = keep_in_clips(motion, result, [FRAMES, FRAMES], find_bodies(motion.skeleton, target, pairs))
    assert np.array_equal(joined(kept).rotations, result.rotations)


def test_clips_one_after_another_are_as_each_by_itself() -> None:
    clips = [clapping(), resting(), clapping().slice(20, 70)]
    together = joined(clips)
    target = stretched(together.skeleton, LONG_ARMS)
    pairs = {name: name for name in target.names}
    result = retarget(together, target, pairs, together.translated)
    lengths = [clip.frames for clip in clips]
    kept = keep_in_clips(together, result, lengths, find_bodies(together.skeleton, target, pairs))
    ends = np.cumsum(lengths).tolist()
    for clip, one, end in zip(clips, kept, ends, strict=True):
        alone = with_self_contacts(result.slice(end - clip.frames, end), contacts_to_keep(clip, target, pairs))
        assert np.array_equal(one.rotations, alone.rotations)
        assert not np.array_equal(one.rotations, result.rotations[end - clip.frames : end])
