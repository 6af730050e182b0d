# SPDX-License-Identifier: GPL-3.0-or-later
"""Exploration of libraries from the sidebar: places like a stretch of motion, and clusters of similar clips."""
