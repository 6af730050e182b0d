# SPDX-License-Identifier: GPL-3.0-or-later
"""A signal followed: by the distances within it and within the examples, and beat by beat."""

from .accents import accents
from .beats import OnBeat
from .constraint import Follow
from .quantities import Drive

__all__ = ["Drive", "Follow", "OnBeat", "accents"]
