# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of a body with itself, kept when its motion goes to other proportions: clapping, hands on hips."""

from .bodies import find_bodies
from .clips import keep_in_clips
from .keeping import ContactsToKeep, contacts_to_keep, missed_contacts, with_self_contacts

__all__ = [
    "ContactsToKeep",
    "contacts_to_keep",
    "find_bodies",
    "keep_in_clips",
    "missed_contacts",
    "with_self_contacts",
]
