# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants: a random sample of small faults put into a copy of the package, and the share that the tests notice."""
