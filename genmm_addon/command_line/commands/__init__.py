# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of `genmm`; those for new versions of actions, assets and pages have folders of their own."""
