# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of tests that is searched for motions, legged and measures, which the rooms' tests share."""
