# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring Action Here: actions of other skeletons, of this file, of motion files or of libraries, on the character."""
