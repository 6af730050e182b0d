# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: motions, crowds and libraries written to files, without a window."""
