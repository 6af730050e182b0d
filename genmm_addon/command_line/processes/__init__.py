# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of their own that synthesize and export."""
