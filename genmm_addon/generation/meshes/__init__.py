# SPDX-License-Identifier: GPL-3.0-or-later
"""The character's meshes in a result, whose shape keys and other values follow the motion."""
