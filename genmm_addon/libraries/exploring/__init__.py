# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries explored from a character: places like a stretch of its motion, and clusters of alike clips."""
