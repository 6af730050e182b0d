# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading of clips that needs Blender: from files, which may crash the Blender that reads them, and the open file."""
