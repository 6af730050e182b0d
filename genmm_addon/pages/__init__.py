# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-contained web pages: the motions that they show, and their assembly; without Blender."""
