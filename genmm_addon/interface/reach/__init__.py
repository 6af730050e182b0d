# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and feet at places: the list of a character, and the operators that bring them there."""
