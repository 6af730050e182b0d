# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands `generate`, `crowd`, `gather` and `info`."""
