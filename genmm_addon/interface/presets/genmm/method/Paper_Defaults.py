# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of the paper (section 4, Implementation Details)."""
