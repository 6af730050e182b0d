# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels that direct the motion: Keep Part and Path."""
