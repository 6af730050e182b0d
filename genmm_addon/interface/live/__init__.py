# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: the motion made again while a value, a pin or the path is dragged, and kept once the dragging ends."""
