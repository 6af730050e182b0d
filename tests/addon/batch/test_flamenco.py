# SPDX-License-Identifier: GPL-3.0-or-later
"""The job type for Flamenco: compiled by its script against a stub of the documented functions, then run here.

Flamenco itself is not run. The stub has the functions of https://flamenco.blender.org/usage/job-types/.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from commands import left_in, saved_character
from job_templates import MARKS, program_in

ROOT = Path(__file__).resolve().parents[3]
JOB_TYPE = ROOT / "farm" / "genmm-generate.js"
STUB = r"""
const tasks = [];
class Task {
    constructor(name, type) { Object.assign(this, { name, type, commands: [], after: [] }); }
    addCommand(command) { this.commands.push(command); }
    addDependency(task) { this.after.push(task.name); }
}
const author = { Task: (name, type) => new Task(name, type), Command: (name, parameters) => ({ name, parameters }) };
function frameChunker(text, size) {
    const numbers = [];
    for (const part of text.split(",")) {
        const [first, last] = part.split("-").map(Number);
        for (let number = first; number <= (last === undefined ? first : last); number++) numbers.push(number);
    }
    const chunks = [];
    for (let at = 0; at < numbers.length; at += size) {
        const chunk = numbers.slice(at, at + size);
        const whole = chunk[chunk.length - 1] - chunk[0] === chunk.length - 1;
        chunks.push(whole && chunk.length > 1 ? chunk[0] + "-" + chunk[chunk.length - 1] : chunk.join(","));
    }
    return chunks;
}
"""
"""Stand-ins for what the Manager gives to a script."""

pytestmark = [*MARKS, pytest.mark.skipif(shutil.which("node") is None, reason="no JavaScript engine is at hand")]


def run_script(folder: Path, ending: str) -> Any:
    """Return the JSON that the job type's script prints with some lines after it."""
    script = folder / "job.js"
    script.write_text(f"'use strict';\n{STUB}{JOB_TYPE.read_text(encoding='utf-8')}\n{ending}\n", encoding="utf-8")
    ended = subprocess.run(["node", str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def compiled(folder: Path, **settings: object) -> list[dict[str, Any]]:
    """Return the tasks of a job; settings that are not given have their defaults."""
    defaults = {
        one["key"]: one.get("default") for one in run_script(folder, "console.log(JSON.stringify(JOB_TYPE.settings))")
    }
    told = json.dumps(defaults | settings)
    return list(
        run_script(
            folder,
            f"compileJob({{ settings: {told}, addTask: task => tasks.push(task) }});\n"
            "console.log(JSON.stringify(tasks));",
        )
    )


def test_each_setting_has_a_type_and_a_value_or_is_required(tmp_path: Path) -> None:
    settings = run_script(tmp_path, "console.log(JSON.stringify(JOB_TYPE.settings))")
    for one in settings:
        assert re.fullmatch(r"[a-z_]+", one["key"]) and one["type"] in ("string", "int32", "float", "bool")
        assert one.get("required") or "default" in one, one
    used = set(re.findall(r"settings\.(\w+)", JOB_TYPE.read_text(encoding="utf-8")))
    assert used == {one["key"] for one in settings}


def test_the_job_makes_all_motions_and_gathers_them_last(tmp_path: Path) -> None:
    hero = saved_character(tmp_path)[0]
    out = tmp_path / "out"
    tasks = compiled(
        tmp_path,
        input_file=str(hero),
        output_folder=str(out),
        seeds="0-2,7",
        seeds_per_task=2,
        frames=40,
        blender=str(program_in(tmp_path)),
    )
    assert [task["name"] for task in tasks] == ["generate-0-1", "generate-2,7", "gather"]
    assert tasks[-1]["after"] == ["generate-0-1", "generate-2,7"]
    for task in tasks:
        for command in task["commands"]:
            assert command["name"] == "exec" and all(isinstance(word, str) for word in command["parameters"]["args"])
            words = [command["parameters"]["exe"], *command["parameters"]["args"]]
            ended = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
            assert ended.returncode == 0, ended.stdout + ended.stderr
    assert left_in(out) == {*(f"motion_{seed:06}.npz" for seed in (0, 1, 2, 7)), "motions.json"}


def test_the_program_is_a_variable_of_the_manager(tmp_path: Path) -> None:
    (task, _) = compiled(tmp_path, input_file="/shared/hero.blend", output_folder="/shared/out", seeds="0-9")
    assert task["commands"][0]["parameters"]["exe"] == "{blender}"
