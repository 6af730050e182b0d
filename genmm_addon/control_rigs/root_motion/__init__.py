# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion: the travel of an action on a bone at the top of its character, as game engines expect it."""
