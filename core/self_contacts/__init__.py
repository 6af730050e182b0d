# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of a body with itself, kept when its motion goes to other proportions: clapping, hands on hips."""

from .bodies import BodyPair, TouchingBody, find_bodies, pose_body
from .clips import keep_in_clips
from .detecting import HANDS, SelfContact, find_self_contacts, may_touch
from .keeping import keep_self_contacts, with_self_contacts

__all__ = [
    "HANDS",
    "BodyPair",
    "SelfContact",
    "TouchingBody",
    "find_bodies",
    "find_self_contacts",
    "keep_in_clips",
    "keep_self_contacts",
    "may_touch",
    "pose_body",
    "with_self_contacts",
]
