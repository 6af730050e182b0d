// SPDX-License-Identifier: GPL-3.0-or-later
// Light or dark: as the system is, until the button says otherwise.

class Theme {
  /** key: under which the browser keeps the choice. changed: is called whenever the colors are others. */
  constructor(key, button, changed) {
    this.key = key;
    this.button = button;
    this.changed = changed;
    const kept = this.kept();
    if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
    this.read();
    button.addEventListener("click", () => this.choose(this.isDark ? "light" : "dark"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.apply());
  }

  /** Read the colors of the page as it is now. */
  read() {
    const chosen = document.documentElement.dataset.theme;
    this.isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    this.colors = readColors();
    this.button.textContent = this.isDark ? "Light" : "Dark";
  }

  apply() {
    this.read();
    this.changed();
  }

  choose(theme) {
    document.documentElement.dataset.theme = theme;
    this.apply();
    try {
      localStorage.setItem(this.key, theme);
    } catch {
      // The choice then lasts as long as the page is open.
    }
  }

  kept() {
    try {
      return localStorage.getItem(this.key);
    } catch {
      return null;
    }
  }
}
