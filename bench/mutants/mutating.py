# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of a Python file: one comparison, calculation, number, condition or returned value replaced by another."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

OTHERS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
"""Operators, and those that take their places."""


@dataclass(frozen=True)
class Mutant:
    """A file's text with one fault.

    line: of the fault, in the original text. function: the first line of the function around it, decorators included; 0
    outside of functions. change: the replaced expression and the new one.
    """

    line: int
    function: int
    change: str
    text: str


def number_of_mutants(text: str) -> int:
    """Return the number of mutants of a file.

    >>> number_of_mutants("def f(a):\\n    return a < 2")
    3
    """
    return len(_places(ast.parse(text)))


def mutant(text: str, number: int) -> Mutant:
    """Return one of a file's mutants.

    >>> mutant("def f(a):\\n    return a < 2", 1).change
    'a < 2 -> a <= 2'
    """
    tree = ast.parse(text)
    function, node = _places(tree)[number]
    before = ast.unparse(node)
    _replace(node)
    return Mutant(node.lineno, function, f"{before} -> {ast.unparse(node)}", ast.unparse(tree))


def _places(tree: ast.Module) -> list[tuple[int, ast.expr | ast.Return]]:
    """Return what can be replaced, each with the first line of the function around it."""
    return list(_within(tree, 0))


def _within(node: ast.AST, function: int) -> Iterator[tuple[int, ast.expr | ast.Return]]:
    if isinstance(node, ast.expr | ast.Return) and _is_replaced(node):
        yield function, node
    for name, value in ast.iter_fields(node):
        # Annotations and decorators are declarations, and texts on their own are docstrings.
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.FunctionDef):
                yield from _within(child, min([child.lineno, *(each.lineno for each in child.decorator_list)]))
            elif isinstance(child, ast.AST):
                yield from _within(child, function)


def _is_replaced(node: ast.expr | ast.Return) -> bool:
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in OTHERS
    if isinstance(node, ast.BinOp):
        # A union of types and a joined text are no calculations.
        return type(node.op) in OTHERS and not any(isinstance(side, ast.JoinedStr) for side in (node.left, node.right))
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float)
    if isinstance(node, ast.Return):
        return node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None)
    return isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _replace(node: ast.expr | ast.Return) -> None:
    """Put the fault into the tree."""
    if isinstance(node, ast.Compare):
        node.ops[0] = OTHERS[type(node.ops[0])]()  # type: ignore[call-overload]  # an operator for an operator
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = OTHERS[type(node.op)]()  # type: ignore[assignment]  # as above
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]
    elif isinstance(node, ast.Return):
        node.value = ast.Constant(None)
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd()
        node.operand = ast.Call(ast.Name("bool"), [node.operand], [])
