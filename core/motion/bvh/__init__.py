# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files, read, checked and written without Blender."""
