# SPDX-License-Identifier: GPL-3.0-or-later
"""(being written)"""


def follow(*a, **k):
    raise NotImplementedError


def forward_of(*a):
    raise NotImplementedError


def wanted_rates(*a):
    raise NotImplementedError
