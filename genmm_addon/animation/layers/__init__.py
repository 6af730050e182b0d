# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits on an additive layer in the NLA, above an action that stays as it was."""
