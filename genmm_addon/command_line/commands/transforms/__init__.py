# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that make a new action from one (restyle, blend, edit), and the one that repairs one."""
