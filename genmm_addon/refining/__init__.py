# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of the action that a character plays refined in place: coarse keys and back, rough stretches made natural."""
