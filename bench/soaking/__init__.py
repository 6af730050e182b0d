# SPDX-License-Identifier: GPL-3.0-or-later
"""Random characters, requests and faults, run by `python build.py soak`."""
