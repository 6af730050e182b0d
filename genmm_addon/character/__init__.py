# SPDX-License-Identifier: GPL-3.0-or-later
"""Copying a character beside itself, and what belongs to it."""
