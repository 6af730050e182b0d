# SPDX-License-Identifier: GPL-3.0-or-later
"""The Make Crowd button and its panel."""
