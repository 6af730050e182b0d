# SPDX-License-Identifier: GPL-3.0-or-later
"""The ribbon in timeline and dope sheet, which shows the examples that a result consists of."""
