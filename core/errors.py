# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong, said in one sentence that names the thing and the mend."""


class InputError(ValueError):
    """The input cannot be used; the message is one sentence fit for the user's eyes."""


class Cancelled(Exception):
    """The caller's progress callback asked to stop; nothing was produced."""
