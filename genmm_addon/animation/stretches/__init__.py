# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of an action that is there: replaced in place, moved in time, remembered; all else plays as before."""
