// SPDX-License-Identifier: GPL-3.0-or-later
// The page: a motion is dropped, opened and varied; one thing is asked for at a time.

const THEME = "genmm serve theme";
const FIRST_SEED = 1;

class NovicePage {
  constructor(data) {
    this.data = data;
    this.byId = (id) => document.getElementById(id);
    this.theme = new Theme(THEME, this.byId("theme"), () => this.recolor());
    this.stage = new Stage(this.theme);
    this.example = new ExampleView(this.stage);
    this.choices = new Choices(data, () => this.markExample());
    this.variations = new Variations(this.stage, (...asked) => this.save(...asked), data.notWritten);
    this.seed = FIRST_SEED;
    this.job = null;
    this.opened = 0;
    const size = (data.sizeLimit / 2 ** 20).toLocaleString("en");
    this.byId("drop-kinds").textContent = `BVH, FBX, glTF or glb, up to ${size} MB`;
    this.byId("file").accept = data.endings.join(",");
    this.recolor();
    this.setPlaying(this.stage.isPlaying);
    this.listen();
    this.listenToFiles();
  }

  recolor() {
    const free = getComputedStyle(document.documentElement).getPropertyValue("--free-limb").trim();
    this.theme.colors.free = shadesOf(free, this.theme.colors.sky);
    this.stage?.turned();
  }

  /** Do something that the server may refuse; one thing at a time. */
  async attempt(text, action) {
    if (this.job !== null) return this.say("Wait until this is done, or cancel it.");
    this.job = 0;
    this.say("");
    this.byId("working").hidden = false;
    this.byId("make").disabled = true;
    this.tell(text, 0);
    try {
      await action();
    } catch (error) {
      if (error instanceof Cancelled) this.tell("Cancelled.", 1);
      else if (error instanceof Refusal) this.say(error.message);
      else throw error;
    } finally {
      this.job = null;
      this.byId("working").hidden = true;
      this.byId("make").disabled = false;
    }
  }

  /** Follow a job: results: is called with those that are new. */
  async done({ job }, text, results) {
    this.job = job;
    await follow(job, async (state) => {
      this.tell(state.before ? `Waiting, ${state.before} before this` : text, state.share);
      if (state.results.length) await results(state.results);
    });
  }

  open(text, start) {
    return this.attempt(text, async () => {
      let motion = null;
      await this.done(await start(), text, ([opened]) => { motion = opened; });
      this.opened = motion.motion;
      this.seed = FIRST_SEED;
      for (const id of ["work", "play"]) this.byId(id).hidden = false;
      this.byId("steps").hidden = true;
      this.byId("drop").classList.add("small");
      this.byId("drop-title").textContent = "Drop another motion";
      await this.example.show(motion);
      this.choices.offer(motion);
      await this.make();
    });
  }

  openFile(file) {
    const ending = /\.[^.]*$/.exec(file.name.toLowerCase())?.[0] ?? "";
    if (!this.data.endings.includes(ending)) {
      return this.say(`"${file.name}" is not a motion file; drop a BVH, FBX, glTF or glb file.`);
    }
    if (!file.size) return this.say(`"${file.name}" is empty; save or download it again.`);
    if (file.size > this.data.sizeLimit) {
      const [has, most] = [file.size, this.data.sizeLimit].map((bytes) => (bytes / 2 ** 20).toFixed(0));
      return this.say(`"${file.name}" has ${has} MB, more than the limit of ${most} MB; cut it, or restart with a larger --size-limit.`);
    }
    return this.open(`Opening ${file.name}`, () => upload(file));
  }

  /** Make variations as the form says; the seeds go on, so that they are always new ones. */
  async make() {
    const choices = this.choices.read(this.opened);
    if (!choices) return;
    const { motion } = this.example;
    this.variations.clear();
    const marks = this.choices.marks();
    const text = choices.count === 1 ? "Making a variation" : `Making ${choices.count} variations`;
    const asked = await post("variations", { ...choices, seed: this.seed });
    this.seed += choices.count;
    let count = 0;
    await this.done(asked, text, async (results) => {
      for (const made of results) {
        if ("parts" in made) {
          await this.showAction(made);
        } else {
          await this.variations.add(made, motion.name, choices, marks);
          count += 1;
        }
      }
    });
    this.byId("made-title").textContent = count === 1 ? "1 new variation" : `${count} new variations`;
  }

  async showAction(made) {
    await this.example.showFigure(made);
    this.example.sayFacts(this.example.motion.actions[made.action].seconds);
    this.choices.offerParts(made.parts);
  }

  save(card, kind, called) {
    return this.attempt(`Writing ${called}`, async () => {
      const { count, ...choices } = card.choices;
      const asked = await post("files", { ...choices, seed: card.made.seed, kind });
      await this.done(asked, `Writing ${called}`, ([file]) => download(file.file, file.name));
    });
  }

  markExample() {
    if (this.example.figure) this.stage.mark(this.example.figure, this.choices.marks());
  }

  tell(text, share) {
    const doing = this.byId("doing");
    if (doing.textContent !== text) doing.textContent = text;
    this.byId("share").value = share;
  }

  /** Show a sentence on what went wrong; "" takes it away. */
  say(text) {
    this.byId("problem").textContent = text;
    this.byId("problem").hidden = !text;
  }

  setPlaying(isPlaying) {
    this.stage.isPlaying = isPlaying;
    this.byId("play").textContent = isPlaying ? "Pause" : "Play";
  }

  async end() {
    await post("quit");
    document.querySelector("main").replaceChildren(element("h2", "", "The session has ended."), element("p", "", "All its files are removed; you can close this page."));
    for (const id of ["play", "end"]) this.byId(id).hidden = true;
  }

  listen() {
    this.byId("sample").addEventListener("click", () => this.open("Opening the sample character", () => post("sample")));
    this.byId("play").addEventListener("click", () => this.setPlaying(!this.stage.isPlaying));
    this.byId("cancel").addEventListener("click", () => {
      if (this.job) post(`jobs/${this.job}/cancel`).catch(() => {});
    });
    this.choices.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt("Making variations", () => this.make());
    });
    this.byId("end").addEventListener("click", () => this.byId("ending").showModal());
    this.byId("ending").addEventListener("close", () => {
      if (this.byId("ending").returnValue === "end") this.end().catch((error) => this.say(error.message));
      this.byId("ending").returnValue = "";
    });
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  listenToFiles() {
    const file = this.byId("file");
    this.byId("choose").addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      if (file.files.length) this.openFile(file.files[0]);
      file.value = "";
    });
    const isFile = (event) => event.dataTransfer?.types.includes("Files");
    for (const name of ["dragenter", "dragover"]) {
      document.addEventListener(name, (event) => {
        if (!isFile(event)) return;
        event.preventDefault();
        document.body.classList.add("dragging");
      });
    }
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.body.classList.remove("dragging");
    });
    document.addEventListener("drop", (event) => {
      document.body.classList.remove("dragging");
      if (!isFile(event)) return;
      event.preventDefault();
      const { files } = event.dataTransfer;
      if (files.length === 1) this.openFile(files[0]);
      else this.say("Drop one file at a time.");
    });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.byId("ending").open) return;
    if (event.target.matches("input, select")) return;
    if (event.key === " " && !event.target.matches("button, summary")) this.setPlaying(!this.stage.isPlaying);
    else if (this.stage.camera.turnByKey(event.key)) this.stage.turned();
    else return;
    event.preventDefault();
  }
}

window.novice = new NovicePage(JSON.parse(document.getElementById("page-data").textContent));
