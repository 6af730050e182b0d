# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-contacts, such as clapping or hands on hips, kept when a motion goes to a body of other proportions."""

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
