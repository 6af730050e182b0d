# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurement of a motion's attributes."""

from collections.abc import Iterable

import numpy as np

from ...feet.two_bone_ik import pose_leg
from ...motion import rotations
from ...motion.ground_travel import STANDS
from ...motion.motion import Motion
from ..events import find_events
from . import kinds
from .body import AttributeBody, joint_of
from .deviations import swing_of
from .elevation import elevation, end_of_bone
from .kinds import Attribute
from .root_paths import contacts_of, path_of

BODY_ATTRIBUTES = tuple(Attribute(kind) for kind in kinds.KINDS)
"""Attributes of the whole body, in the order in which they are listed."""


def measure(motion: Motion, body: AttributeBody, attributes: Iterable[Attribute] = BODY_ATTRIBUTES) -> dict[str, float]:
    """Return the values of attributes by name, in their units, without those that the motion does not have.

    Raises InputError for a bone without the attribute.

    >>> list(measure(swing, body_of(index_motions([swing])), [attribute_named("swing:leg")]))
    ['swing:leg']
    """
    values = {attribute.name: measured(motion, body, attribute) for attribute in attributes}
    return {name: value for name, value in values.items() if value is not None}


def measured(motion: Motion, body: AttributeBody, attribute: Attribute) -> float | None:
    """Return the value of an attribute, in its unit; None if the motion does not have it."""
    kind = attribute.kind
    if kind == kinds.SPEED:
        value = speed(motion, body)
        return value if value >= STANDS else None
    if kind == kinds.STEP_LENGTH:
        return _step_length(motion, body)
    if kind == kinds.TURN_RATE:
        return _turn_rate(motion, body)
    if kind == kinds.CROUCH:
        return _crouch(motion, body)
    if kind == kinds.ENERGY:
        return _energy(motion, body)
    if kind.name in (kinds.ARM_SWING.name, kinds.SWING):
        joints = swinging(body, attribute)
        return swing_of(motion, joints) if joints else None
    bones = raising(body, attribute)
    return float(np.mean([elevation(motion, *bone) for bone in bones])) if bones else None


def swinging(body: AttributeBody, attribute: Attribute) -> tuple[int, ...]:
    """Return the joints whose swing an attribute measures: shoulders and elbows, or one bone."""
    if attribute.bone:
        return (joint_of(body, attribute.bone),)
    return tuple(sorted({joint for arm in body.arms for joint in (arm.hip, arm.knee)}))


def raising(body: AttributeBody, attribute: Attribute) -> tuple[tuple[int, int], ...]:
    """Return the bones whose height an attribute measures, each as its joint and the joint at its end."""
    if attribute.bone:
        joint = joint_of(body, attribute.bone)
        return ((joint, end_of_bone(body.skeleton, joint)),)
    return tuple(sorted({(arm.hip, arm.knee) for arm in body.arms}))


def speed(motion: Motion, body: AttributeBody) -> float:
    """Return the speed of the trajectory, in sizes per second."""
    seconds = max(motion.frames - 1, 1) / motion.frames_per_second
    return float(path_of(motion, body).speeds.sum() / seconds / motion.skeleton.size)


def _turn_rate(motion: Motion, body: AttributeBody) -> float | None:
    # Feet without legs that can be turned would slide in a turn.
    if motion.frames < 2 or speed(motion, body) < STANDS or (body.feet and not body.steps):
        return None
    turns = path_of(motion, body).turns
    return float(np.degrees(turns[-1] - turns[0]) * motion.frames_per_second / (motion.frames - 1))


def _step_length(motion: Motion, body: AttributeBody) -> float | None:
    """Return the mean distance between touchdowns, in sizes; None for fewer than two, and if the body stands."""
    if not body.steps or speed(motion, body) < STANDS:
        return None
    contacts = contacts_of(motion, body)
    downs = sorted(event.frame for event in find_events(contacts, 0, motion.frames_per_second) if event.down)
    if len(downs) < 2 or downs[-1] == downs[0]:
        return None
    distance = path_of(motion, body).speeds[downs[0] : downs[-1]].sum()
    return float(distance / (len(downs) - 1) / motion.skeleton.size)


def _crouch(motion: Motion, body: AttributeBody) -> float | None:
    if not body.steps or body.plan.joint not in motion.translated:
        return None
    up, shares = np.array(motion.skeleton.up), []
    for foot in body.feet:
        leg = pose_leg(motion, foot)
        end, hip = (leg.positions[:, place] @ up for place in (leg.end, leg.hip))
        # Ankles are lowest while they stand.
        shares.append(1 - (hip.mean() - np.percentile(end, 10)) / body.leg_length)
    return float(np.mean(shares))


def _energy(motion: Motion, body: AttributeBody) -> float | None:
    joints = list(body.above)
    weights = motion.skeleton.reaches[joints]
    if not joints or not weights.any() or motion.frames < 2:
        return None
    turns = motion.rotations[:, joints].astype(np.float64)
    angles = np.degrees(rotations.angle_between(turns[:-1], turns[1:])) * motion.frames_per_second
    return float(np.average(angles.mean(axis=0), weights=weights))
