// SPDX-License-Identifier: GPL-3.0-or-later
// The form: how long, how many, whether they loop, and which limbs are free or kept from the example.

const WAYS = [["with", "With the body"], ["free", "Free"], ["kept", "Kept as it is"]];

class Choices {
  constructor(limits, changedParts) {
    this.form = document.getElementById("choices");
    this.fields = Object.fromEntries("action seconds count loop".split(" ").map((id) => [id, document.getElementById(id)]));
    this.parts = document.getElementById("parts");
    this.changedParts = changedParts;
    this.fields.seconds.min = String(limits.shortest);
    this.fields.seconds.max = String(limits.longest);
    this.fields.count.max = String(limits.mostVariations);
    this.parts.addEventListener("change", () => this.onParts());
  }

  /** Offer what a motion that was opened has. */
  offer(motion) {
    const { action, seconds } = this.fields;
    action.replaceChildren(
      ...motion.actions.map(({ name, seconds: lasts }, number) => new Option(`${name} (${lasts.toFixed(1)} s)`, String(number))),
    );
    action.value = String(motion.action);
    document.getElementById("action-row").hidden = motion.actions.length < 2;
    seconds.value = String(motion.seconds);
    this.offerParts(motion.parts);
  }

  offerParts(parts) {
    const ways = this.ways();
    this.parts.replaceChildren(
      ...parts.map((part, number) => {
        const label = element("label", "", part.title);
        const select = document.createElement("select");
        select.name = "part";
        for (const [value, text] of WAYS) if (value !== "free" || !part.trunk) select.append(new Option(text, value));
        if (ways[number] && ways.length === parts.length) select.value = ways[number];
        if (part.first !== part.title) label.title = `From the bone ${part.first} on`;
        label.append(select);
        return label;
      }),
    );
    document.getElementById("limbs").hidden = !parts.length;
    this.partsOffered = parts;
    this.onParts();
  }

  /** The way of each body part: with, free or kept. */
  ways() {
    return [...this.parts.querySelectorAll("select")].map((select) => select.value);
  }

  onParts() {
    const keeps = this.ways().includes("kept");
    this.fields.seconds.disabled = keeps;
    this.fields.seconds.title = keeps ? "As long as your motion, since a body part is kept from it" : "";
    this.changedParts();
  }

  /** The limbs of the figure that are free or kept, by their numbers. */
  marks() {
    const marks = new Map();
    this.ways().forEach((way, number) => {
      if (way !== "with") for (const limb of this.partsOffered[number].limbs) marks.set(limb, way);
    });
    return marks;
  }

  /** What the server is asked for, but the seeds; null where a field is not filled well, which the browser then says. */
  read(motion) {
    if (!this.form.reportValidity()) return null;
    const { action, seconds, count, loop } = this.fields;
    const ways = this.ways();
    const those = (name) => ways.flatMap((way, number) => (way === name ? [number] : []));
    return {
      motion,
      action: Number(action.value),
      seconds: Number(seconds.value),
      count: Number(count.value),
      loop: loop.value,
      free: those("free"),
      kept: those("kept"),
    };
  }
}
