# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading the animation of an armature exactly, and writing it back; the only place that touches F-curves."""
