# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion of the action that a character plays."""
