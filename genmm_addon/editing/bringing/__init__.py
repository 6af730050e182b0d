# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of other skeletons brought to a character as ordinary actions of its own."""
