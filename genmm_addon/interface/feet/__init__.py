# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of feet and of bones with a weight."""
