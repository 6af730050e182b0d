# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a motion with their contacts, and the knees above them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...arrays import Mask
from ...feet.calm_knees import Knees, find_knees
from ...feet.contact_detection import Foot, feet_by_name, find_feet, ground_heights, label_contacts, with_copies
from ...motion.motion import Motion


@dataclass(frozen=True, eq=False)
class GroundContacts:
    """Feet on flat ground with their contacts `(T, len(feet))`, and the examples' knees.

    >>> isinstance(standing_of(swing), GroundContacts)
    True
    """

    feet: tuple[Foot, ...]
    contacts: Mask
    knees: Knees


def standing_of(
    motion: Motion,
    example: Motion | None = None,
    names: Sequence[str] | None = None,
    feet: Sequence[Foot] | None = None,
) -> GroundContacts:
    """Return the feet of a motion, their contacts and their knees.

    example: motion from which feet, ground and knees are found if `motion` is a piece of it. names: of the feet; None:
    they are found. feet: the feet themselves, if known. Raises InputError for a name that no joint has.

    >>> standing_of(swing).contacts.shape
    (60, 0)
    """
    example = motion if example is None else example
    if feet is None:
        named = None if names is None else feet_by_name(example.skeleton, names)
        feet = find_feet([example]) if named is None else with_copies([example], named)
    contacts = label_contacts(motion, feet, ground_heights([example], feet))
    return GroundContacts(tuple(feet), contacts, find_knees([example], feet))
