# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: motion that is generated again while a value, a pin or the path is dragged, and kept once dragging ends."""
