# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a request as panels show them, and as texts keep them, with data-blocks by name."""
