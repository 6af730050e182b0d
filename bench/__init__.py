# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo and the measurements, run by `python build.py demo` and `python build.py bench`."""
