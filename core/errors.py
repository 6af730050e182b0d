# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors, each with one sentence that names what is wrong and what helps."""


class InputError(ValueError):
    """The input cannot be used; the message is one sentence fit for the user's eyes."""


class Cancelled(Exception):
    """The caller's progress callback asked to stop; nothing was produced."""
