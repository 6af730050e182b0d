# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts: their list, the tool that paints them, and their colors in the viewport."""
