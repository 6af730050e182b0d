// SPDX-License-Identifier: GPL-3.0-or-later
// What the page asks its server for: jobs, of which one is done at a time, and their results as they come.

const POLLED = 120; // milliseconds between two looks at a job
const LOST = "The server does not answer; start genmm serve again, and open the address that it prints.";

/** Something that cannot be had, in a sentence for the reader. */
class Refusal extends Error {}

class Cancelled extends Error {}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, cache: "no-store", redirect: "error" });
  } catch {
    throw new Refusal(LOST);
  }
  const values = await answer.json().catch(() => ({ error: LOST }));
  if (!answer.ok) throw new Refusal(values.error);
  return values;
}

function post(path, values = {}) {
  return ask(path, { method: "POST", body: JSON.stringify(values) });
}

function upload(file) {
  return ask("motions", { method: "POST", body: file, headers: { "X-File-Name": encodeURIComponent(file.name) } });
}

/** Follow a job to its end. told: is called with its state again and again, with the results that are new. */
async function follow(number, told) {
  let seen = 0;
  for (;;) {
    const job = await ask(`jobs/${number}?from=${seen}`);
    seen += job.results.length;
    await told(job);
    if (job.state === "done") return;
    if (job.state === "failed") throw new Refusal(job.error);
    if (job.state === "cancelled") throw new Cancelled();
    await new Promise((resolve) => setTimeout(resolve, POLLED));
  }
}

/** Have the browser keep a file that was made. */
function download(number, name) {
  const link = document.createElement("a");
  link.href = `files/${number}`;
  link.download = name;
  link.click();
}
