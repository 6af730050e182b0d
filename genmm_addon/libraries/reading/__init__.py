# SPDX-License-Identifier: GPL-3.0-or-later
"""The reading of clips that needs Blender: files, which may end the Blender that reads them, and the open file."""
