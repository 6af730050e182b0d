# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of F-curves: which frames have one, how they are written in bulk, and simplified in an action that is there."""
