# SPDX-License-Identifier: GPL-3.0-or-later
"""From the command line: many motions and crowds into files, with no window."""
