# SPDX-License-Identifier: GPL-3.0-or-later
"""Further processes that synthesize and export."""
