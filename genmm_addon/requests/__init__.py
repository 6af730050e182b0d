# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests, made from a character's panel, an operator's values or a settings file."""
