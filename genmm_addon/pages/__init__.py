# SPDX-License-Identifier: GPL-3.0-or-later
"""Web pages that stand alone: what they show of motions, and how they are put together; no Blender."""
