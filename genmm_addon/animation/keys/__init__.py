# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of F-curves: the choice of their frames, writing in bulk, and simplification of existing actions."""
