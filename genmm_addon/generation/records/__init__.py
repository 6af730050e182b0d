# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a request in the forms of panels, and of texts with data-blocks by name."""
