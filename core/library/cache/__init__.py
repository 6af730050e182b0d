# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache on disk of values made from many examples, which are read instead of being made a second time."""
