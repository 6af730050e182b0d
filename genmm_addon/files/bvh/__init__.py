# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files, read and checked without Blender, and written."""
