// SPDX-License-Identifier: GPL-3.0-or-later
// Generation of many motions by Flamenco 3 (https://flamenco.blender.org): copy this file into the Manager's folder
// `scripts`. Every worker needs Blender 4.2 or newer with the GenMM extension enabled. For its use see docs/batch.md.

const JOB_TYPE = {
    label: "GenMM motions",
    description: "New character motions, one for each seed, and a list of the motions",
    settings: [
        { key: "input_file", type: "string", subtype: "file_path", required: true,
          description: "A .blend with a character that has been set up in the panel, or a .bvh, .fbx or .glb file" },
        { key: "settings_file", type: "string", subtype: "file_path", default: "",
          description: "Settings exported from the panel. If empty, those of the .blend are used" },
        { key: "character", type: "string", default: "",
          description: "The armature's name. If empty, the active or only armature is used" },
        { key: "libraries", type: "string", subtype: "file_path", default: "",
          description: "A library to learn from, or a folder of libraries. If empty, the examples of the input file" },
        { key: "tags", type: "string", default: "",
          description: "Tags of the library's clips to learn from, such as style=old,action=walk" },
        { key: "labels", type: "string", default: "",
          description: "Labels over frames, such as style=angry 1-80. If empty, those in the settings" },
        { key: "frames", type: "int32", default: 0, propargs: { min: 0 },
          description: "The length of each motion. 0 is the length in the settings, or else that of the example" },
        { key: "seeds", type: "string", required: true, default: "0-99",
          description: "Seeds such as 0-99 or 0-9,20-29; one motion is made for each" },
        { key: "seeds_per_task", type: "int32", default: 50, propargs: { min: 1 },
          description: "Number of motions in one task; a worker reads the input once for all of them" },
        { key: "output_folder", type: "string", subtype: "dir_path", required: true,
          description: "The folder of the motions, which all workers share" },
        { key: "output_name", type: "string", default: "motion",
          description: "Beginning of the files' names; the seed follows it" },
        { key: "output_format", type: "string", default: "npz", choices: ["npz", "blend", "bvh", "fbx", "glb"] },
        { key: "blender", type: "string", default: "{blender}", visible: "hidden",
          description: "The program: a variable of the Manager" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const pattern = settings.output_name + "_{seed:06}." + settings.output_format;
    const gather = author.Task("gather", "misc");
    gather.addCommand(command(settings, ["gather", settings.output_folder, "--pattern", pattern,
                                         "--seeds", settings.seeds]));
    for (const seeds of frameChunker(settings.seeds, settings.seeds_per_task)) {
        const task = author.Task("generate-" + seeds, "blender");
        task.addCommand(command(settings, [
            "generate", settings.input_file,
            // Options with empty values are as if they were not given.
            "--settings", settings.settings_file, "--armature", settings.character,
            "--library", settings.libraries, "--tags", settings.tags, "--labels", settings.labels,
            "--frames", String(settings.frames), "--seeds", seeds,
            "--output", settings.output_folder + "/" + pattern,
            // A task that is run again after a worker was lost makes only the missing motions.
            "--resume", "--log", "-",
        ]));
        gather.addDependency(task);
        job.addTask(task);
    }
    job.addTask(gather);
}

function command(settings, words) {
    return author.Command("exec", { exe: settings.blender, args: ["--command", "genmm"].concat(words) });
}
