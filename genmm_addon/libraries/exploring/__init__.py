# SPDX-License-Identifier: GPL-3.0-or-later
"""Exploration of libraries from a character: places similar to a stretch of its motion, and clusters of clips."""
