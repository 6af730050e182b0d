# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of a character, their places and tags, and the objects that belong to a character."""
