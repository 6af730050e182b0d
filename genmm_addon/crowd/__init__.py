# SPDX-License-Identifier: GPL-3.0-or-later
"""Many characters that share a few motions, each at its own place and moment."""
