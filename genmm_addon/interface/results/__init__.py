# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of variations, and the operators that show, keep, apply and regenerate them."""
