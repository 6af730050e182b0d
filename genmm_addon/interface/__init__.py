# SPDX-License-Identifier: GPL-3.0-or-later
"""The user interface, in a package for each feature: operators, panels and drawing."""
