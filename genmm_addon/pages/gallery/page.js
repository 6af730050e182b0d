// SPDX-License-Identifier: GPL-3.0-or-later
// The page: reads its data, and draws what is on the screen, again and again.

const MOTIONS_KEPT = 150; // decoded at a time: each takes some 80 kB
const THEME = "genmm gallery theme";

class GalleryPage {
  constructor(data) {
    this.clips = data.clips.map((clip, number) => ({ ...clip, number }));
    this.examples = data.examples;
    this.skeletons = data.skeletons;
    this.camera = new Camera();
    this.motions = new Motions(data.skeletons, MOTIONS_KEPT);
    this.favorites = new Favorites(data.title, this.clips);
    this.isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.isPlaying = !this.isStill;
    this.seconds = 0;
    this.turns = 0;
    this.before = null;
    document.getElementById("title").textContent = data.title;
    this.theme = new Theme(THEME, document.getElementById("theme"), () => this.turned());
    this.viewer = new Viewer(this);
    this.cards = new Cards(document.getElementById("clips"), this.clips, this);
    this.listen();
    this.fillSources();
    this.setPlaying(this.isPlaying);
    this.choose();
    requestAnimationFrame((now) => this.draw(now));
  }

  /** The names that a clip's sources go by: its input and the examples it shows. */
  sourcesOf(clip) {
    const names = clip.examples.map(([number]) => this.examples[number].title);
    return new Set([clip.source, ...names].filter(Boolean));
  }

  get colors() {
    return this.theme.colors;
  }

  get isDark() {
    return this.theme.isDark;
  }

  /** One number that changes whenever all figures look otherwise. */
  get look() {
    return this.turns;
  }

  turned() {
    this.turns += 1;
  }

  draw(now) {
    const passed = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    if (this.viewer.isOpen) {
      this.viewer.draw(passed);
    } else {
      if (this.isPlaying) this.seconds += passed;
      this.cards.draw((clip) => Math.floor(this.seconds * clip.rate) % clip.frames);
    }
    requestAnimationFrame((next) => this.draw(next));
  }

  open(clip) {
    this.viewer.open(clip);
  }

  choose() {
    const found = chosenClips(this.clips, readChoice(), this.favorites, (clip) => this.sourcesOf(clip));
    this.cards.show(found);
    document.getElementById("none").hidden = found.length > 0;
    this.count(found.length);
  }

  count(found) {
    const picked = this.favorites.picked.size;
    const favorites = picked === 1 ? "1 favorite" : `${picked} favorites`;
    document.getElementById("count").textContent = `${found} of ${this.clips.length} motions, ${favorites}`;
    document.getElementById("save").disabled = picked === 0;
  }

  setPlaying(isPlaying) {
    this.isPlaying = isPlaying;
    document.getElementById("play").textContent = isPlaying ? "Pause" : "Play";
  }

  fillSources() {
    const names = [...new Set(this.clips.flatMap((clip) => [...this.sourcesOf(clip)]))].sort(NAMES.compare);
    document.getElementById("source").replaceChildren(new Option("All", ""), ...names.map((name) => new Option(name, name)));
  }

  listen() {
    const form = document.getElementById("choosing");
    const direction = document.getElementById("direction");
    form.addEventListener("input", () => this.choose());
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => {
      direction.setAttribute("aria-pressed", "false");
      setTimeout(() => this.choose()); // the fields are empty only then
    });
    direction.addEventListener("click", () => {
      direction.setAttribute("aria-pressed", String(direction.getAttribute("aria-pressed") !== "true"));
      this.choose();
    });
    document.getElementById("play").addEventListener("click", () => this.setPlaying(!this.isPlaying));
    document.getElementById("save").addEventListener("click", () => this.favorites.save());
    this.favorites.changed = (clip) => this.onFavorite(clip);
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  onFavorite(clip) {
    this.cards.markFavorite(this.cards.cards.get(clip));
    if (this.viewer.isOpen) this.viewer.markFavorite();
    if (readChoice().onlyFavorites && !this.viewer.isOpen) this.choose();
    else this.count(this.cards.order.length);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input:not([type=range]):not([type=checkbox]), select");
    if (typing) return;
    const onCard = event.target.matches(".open");
    if (event.key === " " && (onCard || !event.target.matches("button, input, summary"))) this.setPlaying(!this.isPlaying);
    else if (this.camera.turnByKey(event.key)) this.turned();
    else return;
    event.preventDefault();
  }
}

window.gallery = new GalleryPage(JSON.parse(document.getElementById("page-data").textContent));
