# SPDX-License-Identifier: GPL-3.0-or-later
"""From a request to results: read, compute, write; recipes, measures, and the long job."""
