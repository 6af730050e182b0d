// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting and filtering of the clips by what is known of them.

const MEASURES = {
  coverage: { title: "Coverage", text: (value) => `${Math.round(value * 100)} %`, meaning: "of the examples is shown" },
  diversity: { title: "Diversity", text: (value) => value.toFixed(2), meaning: "how unlike the others, 1: as poses are" },
  skate: { title: "Skate", text: (value) => `${value.toFixed(1)} cm/s`, meaning: "feet slide near the ground" },
  cuts: { title: "Cuts that may show", text: (value) => String(value), meaning: "marked in the ribbon" },
  through: { title: "Frames through the body", text: (value) => String(value), meaning: "limbs deeper in it than the examples'" },
};

/** A measure of a clip as a number; null where it was not measured. */
function measureOf(clip, name) {
  return name === "cuts" ? clip.cuts?.length ?? null : clip[name];
}

/** What is chosen in the form. */
function readChoice() {
  const value = (id) => document.getElementById(id).value;
  const number = (id, scale = 1) => (value(id) === "" ? null : Number(value(id)) / scale);
  return {
    words: value("words").trim().toLowerCase().split(/\s+/).filter(Boolean),
    source: value("source"),
    seeds: parseSeeds(value("seeds")),
    least: { coverage: number("least-coverage", 100), diversity: number("least-diversity") },
    most: { skate: number("most-skate"), cuts: number("most-cuts") },
    onlyFavorites: document.getElementById("only-favorites").checked,
    order: value("order"),
    descending: document.getElementById("direction").getAttribute("aria-pressed") === "true",
  };
}

/** Ranges of seeds in words such as "0-9,20"; null for none. What is not a number is passed over. */
function parseSeeds(text) {
  const ranges = [...text.matchAll(/(\d+)(?:\s*-\s*(\d+))?/g)].map(([, from, to]) => [Number(from), Number(to ?? from)]);
  return ranges.length ? ranges : null;
}

/** The clips that are asked for, in their order. */
function chosenClips(clips, choice, favorites, sourcesOf) {
  const fits = (clip) =>
    choice.words.every((word) => clip.name.toLowerCase().includes(word)) &&
    (!choice.source || sourcesOf(clip).has(choice.source)) &&
    (!choice.seeds || choice.seeds.some(([from, to]) => clip.seed !== null && from <= clip.seed && clip.seed <= to)) &&
    Object.entries(choice.least).every(([name, least]) => least === null || (measureOf(clip, name) ?? -1) >= least) &&
    Object.entries(choice.most).every(([name, most]) => most === null || (measureOf(clip, name) ?? Infinity) <= most) &&
    (!choice.onlyFavorites || favorites.has(clip));
  const sign = choice.descending ? -1 : 1;
  const keyOf = (clip) => (choice.order in MEASURES ? measureOf(clip, choice.order) : clip[choice.order]);
  const compare = (one, other) => {
    const [first, second] = [keyOf(one), keyOf(other)];
    // What is not known comes last, either way.
    if (first === null || second === null) return (first === null) - (second === null) || one.number - other.number;
    const difference = typeof first === "string" ? NAMES.compare(first, second) : first - second;
    return sign * difference || one.number - other.number;
  };
  return clips.filter(fits).sort(compare);
}

const NAMES = new Intl.Collator("en", { numeric: true });
