# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of an existing action: replaced in place, moved in time, and remembered; the rest plays as before."""
