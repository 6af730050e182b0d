# SPDX-License-Identifier: GPL-3.0-or-later
"""The constants of a package: names at module level that are bound to one number, and modules in which one differs."""

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType


@dataclass(frozen=True)
class Constant:
    """A number at module level; module: relative to the package, as in `planning.segments`."""

    module: str
    name: str
    value: int | float


def constants_in(package: Path) -> list[Constant]:
    """Return the constants of all modules in a package's folder."""
    found = []
    for path in sorted(package.rglob("*.py")):
        module = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            name, value = _bound(node), _number(getattr(node, "value", None))
            if name and value is not None:
                found.append(Constant(module, name, value))
    return found


def use_other_value(package: str, constant: Constant) -> None:
    """Let later imports of the constant's module bind its name to `constant.value`, defaults and imports too."""
    sys.meta_path.insert(0, _Finder(f"{package}.{constant.module}", constant))


class _Finder(MetaPathFinder):
    """A finder of one module, whose source gets another value for one constant."""

    def __init__(self, module: str, constant: Constant) -> None:
        self.module, self.constant = module, constant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module's spec with a loader that replaces the value; None for all other modules."""
        if fullname != self.module:
            return None
        found = PathFinder.find_spec(fullname, path)
        if found is None or found.origin is None:
            return None
        loader = _Loader(fullname, found.origin, self.constant)
        return spec_from_file_location(
            fullname, found.origin, loader=loader, submodule_search_locations=found.submodule_search_locations
        )


class _Loader(SourceFileLoader):
    """A loader that compiles a module's source with another value for one constant."""

    def __init__(self, fullname: str, path: str, constant: Constant) -> None:
        super().__init__(fullname, path)
        self.constant = constant

    def get_code(self, fullname: str) -> CodeType:
        """Return the compiled module; kept byte code, which has the old value, is not used."""
        tree = ast.parse(self.get_data(self.path), self.path)
        for node in tree.body:
            if _bound(node) == self.constant.name and isinstance(node, (ast.Assign, ast.AnnAssign)):
                node.value = ast.copy_location(ast.Constant(self.constant.value), node)
        return compile(tree, self.path, "exec", dont_inherit=True)


def _bound(node: ast.stmt) -> str | None:
    """Return the one name that a statement binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _number(node: ast.expr | None) -> int | float | None:
    """Return the value of a number, which may have a sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand)
        return None if value is None else -value
    number = node.value if isinstance(node, ast.Constant) else None
    return number if isinstance(number, (int, float)) and not isinstance(number, bool) else None
