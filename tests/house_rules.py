# SPDX-License-Identifier: GPL-3.0-or-later
"""House rules checked in the source: each function returns the offenders below a folder, as `file: what is wrong`."""

import ast
import re
import sys
from collections.abc import Container, Iterator, Sequence
from functools import cache
from pathlib import Path

BLENDER = {"aud", "bpy", "bpy_extras", "mathutils", "gpu", "gpu_extras", "blf", "bl_ui", "bl_operators", "addon_utils"}
STANDARD = set(sys.stdlib_module_names)
LAYERS = (
    "animation", "character", "files", "pages", "control_rigs", "libraries", "generation", "editing", "steering",
    "crowd", "state", "requests", "command_line", "interface",
)  # fmt: skip
"""The add-on's packages from the ground up: each may use those before it, and core."""
FEATURES = (
    "help", "common", "presets", "library", "timeline", "examples", "feet", "generate", "trajectories",
    "ribbon", "transform", "refining", "stretches", "results", "parts",
    "ground", "waypoints", "mixing", "bringing", "labels", "reach", "pins", "crowd", "exploring", "live",
    "steer", "repair", "follow", "lists", "handles",
)  # fmt: skip
"""The interface's packages from the ground up: each may use those before it."""
ROOMS = (
    "fields", "storage", "motion", "features", "feet", "keys", "environment", "transfer", "evaluation", "examples",
    "library", "planning", "constraints", "synthesis", "infill", "manner", "repair", "live",
)  # fmt: skip
"""The packages of core from the ground up: each may use those before it, and the errors and settings of all."""
TOUCHES_CURVES = {
    f"animation/{name}.py"
    for name in (
        "actions",
        "curves",
        "sampling",
        "writing",
        "keys/key_writing",
        "keys/simplifying",
        "layers/editing_on_layer",
        "stretches/editing",
        "stretches/fingerprints",
        "stretches/key_tables",
        "stretches/replacing",
    )
}
CURVES = {"fcurves", "keyframe_points", "channelbag", "keyframe_insert"}
LOGIC = {"core", "generate", "reading", "writing"}
"""Packages and modules that a panel must not import."""
LICENSE = "SPDX-License-Identifier: GPL-3.0-or-later"
MOST_LINES, MOST_LINES_OF_TESTS = 400, 450
MOST_LINES_OF_A_FOLDER = 3_500
"""Largest number of lines in the Python files of one folder, without its subfolders; more are hard to survey."""
SUPERSEDED = {
    "alike": "similar", "alikeness": "similarity", "apart": "distance", "astray": "drift", "ballot": "minimum duration",
    "bent": "constrained", "cut": "transition", "cuts": "transitions", "dear": "costly", "demand": "frame cost",
    "demands": "frame costs", "directed": "constraints", "fade": "crossfade", "fades": "crossfades",
    "guess": "initial motion", "held": "poses, or fixed frames", "hold": "pose constraint", "holds": "pose constraints",
    "jolt": "angular acceleration", "jolts": "angular accelerations", "lack": "visit deficit", "landscape": "graph",
    "led": "coupling", "leeway": "ik weight", "likeliest": "min cost", "mismatch": "coupling cost",
    "outlook": "lookahead", "overlooked": "anticipated", "phase": "alignment class", "phases": "alignment classes",
    "press": "context", "price": "cost", "prices": "costs", "pull": "coverage weight", "retold": "encoded",
    "run": "segment", "runs": "segments", "shown": "source frame", "straight": "linear", "stranded": "anticipated cost",
    "survey": "graph", "told": "encoded", "tour": "path", "turning": "orientations", "wander": "random walk",
    "wanted": "target",
}  # fmt: skip
"""Words that names in core had before those of the literature, and the words that replace them."""
LITERAL_NAMES = {
    "NEARLY_STRAIGHT": "a straight leg, not a linear channel",
    "legs_apart": "legs that are parts of their own, not a distance; the window passes it by this name",
    "run": "subprocess.run",
}
"""Names that contain a superseded word in its everyday meaning."""
EVERYDAY_WORDS = {
    "phase": "where in a gait or a cycle a motion is",
    "phases": "where in their motions the agents of a crowd begin",
    "run": "run a command or a job",
    "shown": "on the screen, in a panel or a viewport",
}
"""Superseded words that the add-on needs in their everyday meaning; in core they are superseded."""
QUESTION = re.compile(r"(What|Whether|How|Where|Which)\b")


def python_files(folder: Path) -> list[Path]:
    """Return all Python files below a folder, without the core that is linked into the add-on."""
    found = sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)
    return [path for path in found if folder.name != "genmm_addon" or path.relative_to(folder).parts[0] != "core"]


def _nodes(path: Path) -> tuple[ast.AST, ...]:
    return _nodes_of(path.read_text(encoding="utf-8"))


@cache
def _nodes_of(text: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(text)))


def absolute_imports(path: Path) -> set[str]:
    """Return the top-level packages that a file imports by their absolute names."""
    found = set()
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def relative_imports(path: Path, folder: Path) -> Iterator[tuple[str, ...] | None]:
    """Yield each relatively imported module or name, as its parts from `folder` on; None for one outside of it."""
    package = path.relative_to(folder).parts[:-1]
    for node in _nodes(path):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        if node.level - 1 > len(package):
            yield None
            continue
        base = (*package[: len(package) - node.level + 1], *(node.module or "").split("."))
        for alias in node.names:
            yield tuple(part for part in (*base, alias.name) if part)


def foreign_imports(folder: Path, allowed: set[str]) -> list[str]:
    """Return the files that import anything but the standard library, `allowed`, and their own package."""
    wrong = []
    for path in python_files(folder):
        name = path.relative_to(folder.parent).as_posix()
        wrong += [f"{name}: imports {module}" for module in sorted(absolute_imports(path) - STANDARD - allowed)]
        if None in relative_imports(path, folder):
            wrong.append(f"{name}: imports from outside of {folder.name}")
    return wrong


def module_imports(folder: Path) -> dict[str, set[str]]:
    """Return for each module below a folder, as `room/name`, those of the same folder that it imports."""
    modules = {path.relative_to(folder).with_suffix("").parts: path for path in python_files(folder)}
    found: dict[str, set[str]] = {}
    for parts, path in modules.items():
        used = set()
        for target in relative_imports(path, folder):
            # A name may be a module, something in a module, or something that a package offers.
            candidates = [target, target[:-1], (*target, "__init__"), (*target[:-1], "__init__")] if target else []
            used |= {"/".join(candidate) for candidate in candidates[:3] if candidate in modules} or {
                "/".join(candidate) for candidate in candidates[3:] if candidate in modules
            }
        found["/".join(parts)] = used - {"/".join(parts)}
    return found


def circles(folder: Path) -> list[str]:
    """Return the modules that import themselves through others."""
    graph = module_imports(folder)
    wrong = []
    for start in graph:
        reached, waiting = set[str](), list(graph[start])
        while waiting:
            module = waiting.pop()
            if module not in reached:
                reached.add(module)
                waiting += graph[module]
        if start in reached:
            wrong.append(f"{folder.name}/{start}.py: imports itself by way of others")
    return wrong


def upward_imports(folder: Path, order: Sequence[str]) -> list[str]:
    """Return the files whose package imports one after it in `order`, or one that is in no order."""
    wrong = []
    for path in python_files(folder):
        own, *inner = path.relative_to(folder).parts
        if not inner or own not in order:
            continue
        above = set(order[order.index(own) + 1 :])
        used = {target[0] for target in relative_imports(path, folder) if target}
        wrong += [f"{folder.name}/{own}/{inner[-1]}: imports {name}" for name in sorted(used & above)]
    return wrong


def offered_names(core: Path) -> dict[str, set[str]]:
    """Return the names that core ("") and each of its packages offer in `__all__`; core offers its packages as well."""
    offered = {}
    for path in (core / "__init__.py", *core.glob("*/__init__.py")):
        lists = [node.value for node in _nodes(path) if isinstance(node, ast.Assign) and _is_all(node.targets)]
        offered[path.parent.relative_to(core).as_posix()] = {
            name for found in lists for name in ast.literal_eval(found)
        }
    packages = offered.keys() - {"."}
    return {"": offered["."] | packages} | {name: offered[name] for name in packages}


def _is_all(targets: list[ast.expr]) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def deep_imports(folder: Path, core: Path) -> list[str]:
    """Return the files that import from core a name that neither core nor one of its packages offers."""
    offered, wrong = offered_names(core), []
    for path in python_files(folder):
        nodes = [node for node in _nodes(path) if isinstance(node, ast.ImportFrom) and not node.level]
        absolute = [(*(node.module or "").split(".")[1:], alias.name) for node in nodes for alias in node.names]
        targets = {target for target in (*relative_imports(path, folder), *absolute) if target and target[0] == "core"}
        deep = {
            ".".join(target)
            for target in targets
            if len(target) > 1 and target[-1] not in offered.get(".".join(target[1:-1]), ())
        }
        wrong += [f"{path.relative_to(folder.parent).as_posix()}: imports {name}" for name in sorted(deep)]
    return wrong


def kinds_of_constraints_named(core: Path) -> list[str]:
    """Return the files of core's other packages that import more of the constraints than their protocol and list.

    Packages above the synthesis are allowed to combine constraints, as users of core do.
    """
    wrong = []
    for path in python_files(core):
        own, *inner = path.relative_to(core).parts
        if not inner or own in ("constraints", "infill", "live"):
            continue
        used = {target[1] for target in relative_imports(path, core) if target and target[0] == "constraints"}
        wrong += [f"{own}/{inner[-1]}: imports constraints.{name}" for name in sorted(used - {"constraint", "spec"})]
    return wrong


def touching_curves(folder: Path, allowed: set[str]) -> list[str]:
    """Return the files that touch F-curves without being among `allowed`."""
    wrong = []
    for path in python_files(folder):
        name = path.relative_to(folder).as_posix()
        used = {node.attr for node in _nodes(path) if isinstance(node, ast.Attribute)} & CURVES
        if used and name not in allowed:
            wrong.append(f"{folder.name}/{name}: touches {', '.join(sorted(used))}")
    return wrong


def panels_with_logic(folder: Path) -> list[str]:
    """Return the panels that compute, or import modules that do."""
    wrong = []
    for path in python_files(folder):
        name = path.relative_to(folder)
        if not any(part.startswith("panel") for part in name.parts):
            continue
        nodes = [node for node in _nodes(path) if isinstance(node, ast.ImportFrom) and node.level]
        reached = {part for node in nodes for part in (node.module or "").split(".")} & LOGIC
        wrong += [f"{name.as_posix()}: imports {module}" for module in sorted(reached)]
        if "numpy" in absolute_imports(path):
            wrong.append(f"{name.as_posix()}: imports numpy")
    return wrong


def without_license(folder: Path) -> list[str]:
    """Return the files that do not name their license in the first two lines."""
    return [
        path.relative_to(folder.parent).as_posix()
        for path in python_files(folder)
        if not any(LICENSE in line for line in path.read_text(encoding="utf-8").splitlines()[:2])
    ]


def too_long(folder: Path, most: int) -> list[str]:
    """Return the files with more lines than `most`."""
    counted = [(path, len(path.read_text(encoding="utf-8").splitlines())) for path in python_files(folder)]
    return [f"{path.relative_to(folder.parent).as_posix()}: {lines} lines" for path, lines in counted if lines > most]


def too_full(folder: Path) -> list[str]:
    """Return the folders whose own Python files have more than MOST_LINES_OF_A_FOLDER lines."""
    counts: dict[Path, int] = {}
    for path in python_files(folder):
        counts[path.parent] = counts.get(path.parent, 0) + len(path.read_text(encoding="utf-8").splitlines())
    return [
        f"{inner.relative_to(folder.parent).as_posix()}: {count} lines"
        for inner, count in sorted(counts.items())
        if count > MOST_LINES_OF_A_FOLDER
    ]


def lone_modules(folder: Path) -> list[str]:
    """Return the folders that hold one module and no other folder; such a module belongs into the folder above."""
    modules: dict[Path, int] = {}
    inner = set[Path]()
    for path in python_files(folder):
        modules[path.parent] = modules.get(path.parent, 0) + (path.name != "__init__.py")
        inner.add(path.parent.parent)
    return [
        one.relative_to(folder.parent).as_posix()
        for one, count in sorted(modules.items())
        if count == 1 and one not in inner and one != folder
    ]


def docstrings_that_ask(folder: Path) -> list[str]:
    """Return the docstrings, those of constants too, that begin with What, Whether, How, Where or Which."""
    return [
        f"{path.relative_to(folder.parent).as_posix()}: {line}"
        for path in python_files(folder)
        for line in questions_in(path)
    ]


def questions_in(path: Path) -> list[str]:
    """Return the first lines of a file's docstrings that begin with a question word."""
    return [
        node.value.value.splitlines()[0]
        for node in _nodes(path)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and QUESTION.match(node.value.value)
    ]


def _names(path: Path) -> Iterator[str]:
    for node in _nodes(path):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.arg


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case."""
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def superseded_names(folder: Path, everyday: Container[str] = ()) -> list[str]:
    """Return the names, including those of files, that contain a word superseded by one of the literature.

    everyday: words that are allowed.
    """
    wrong = []
    for path in python_files(folder):
        names = {*_names(path), path.stem} - set(LITERAL_NAMES)
        for name in sorted(names):
            wrong += [
                f"{path.relative_to(folder.parent).as_posix()}: {name} ({SUPERSEDED[word]})"
                for word in words_of(name)
                if word in SUPERSEDED and word not in everyday
            ]
    return wrong
