# SPDX-License-Identifier: GPL-3.0-or-later
"""Loading characters from BVH, FBX, glTF and .blend files."""
