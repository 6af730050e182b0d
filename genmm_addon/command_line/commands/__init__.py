# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of `genmm`; those that make actions anew, assets and pages have folders of their own."""
