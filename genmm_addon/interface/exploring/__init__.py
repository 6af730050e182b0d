# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries explored from the sidebar: places like a stretch of motion, and clusters of alike clips."""
