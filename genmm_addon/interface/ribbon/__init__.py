# SPDX-License-Identifier: GPL-3.0-or-later
"""The ribbon in timeline and dope sheet: what a result consists of."""
