# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts: their list, painting them, and their colors in the viewport."""
