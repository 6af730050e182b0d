# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's walk: styles as numbers, the gait along a path, and the body above it."""
