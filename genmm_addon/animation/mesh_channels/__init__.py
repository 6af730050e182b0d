# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated values of a character's meshes, such as its face: shape keys, custom properties and materials."""
