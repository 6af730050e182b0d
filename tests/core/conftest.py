# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder to search for motions, legged and measures, which the tests of all packages share."""
