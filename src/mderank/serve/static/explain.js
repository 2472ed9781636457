// Why a phrase is key: in plain words, with the numbers for those who want them.
import { make } from "./dom.js";
import { masked, offsets } from "./marks.js";
import { amount, chanceWords, digits, ofHundred, percent } from "./words.js";

const PATIENT = 3; // occurrences that are shown at once

// The chance in words, with the percentage as a tooltip; null for methods that do not estimate it.
export function chance(keyphrase, told) {
  if (keyphrase.confidence == null) return null;
  const title = `${percent(keyphrase.confidence)}: the estimated chance that a reader accepts it`;
  return make("span", { class: "chance", title }, chanceWords(keyphrase.confidence, told.confidence_words));
}

export function why(keyphrase, text, told) {
  const details = make("details", { class: "why" }, make("summary", {}, "why"));
  // What unfolds is made when it does: a long list has many, and few are looked at.
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) {
      details.append(...accepted(keyphrase, told), ...reasons(keyphrase, told), ...related(keyphrase),
        ...places(keyphrase, text), numbers(keyphrase, told));
    }
  });
  return details;
}

function accepted({ confidence }, told) {
  if (confidence == null) return [];
  const words = chanceWords(confidence, told.confidence_words);
  return [make("p", { class: "accepted" }, make("b", {}, words[0].toUpperCase() + words.slice(1)),
    ` a keyphrase: of 100 phrases like it, readers accept ${ofHundred(confidence)}.`)];
}

function reasons({ contributions = {}, features = {} }, told) {
  const terms = Object.entries(contributions ?? {}).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  if (!terms.length) {
    const effect = features?.mask_effect !== undefined;
    const how = effect ? "It is ranked by how much the meaning of the text changes without it."
      : "This method gives each phrase one number, and no reasons.";
    return [make("p", {}, how)];
  }
  const sum = terms.reduce((all, [, value]) => all + Math.abs(value), 0);
  const largest = Math.abs(terms[0][1]);
  const rows = terms.map(([name, value]) => {
    const bar = make("span", { class: value < 0 ? "part less" : "part", strength: largest ? Math.abs(value) / largest : 0 });
    return make("tr", {}, make("th", { scope: "row" }, meaning(name, features[name], told)),
      make("td", {}, amount(value, sum), bar));
  });
  return [make("table", { class: "reasons" }, make("caption", {}, "What counted, and how much"), make("tbody", {}, ...rows))];
}

function meaning(name, value, told) {
  const words = told.plain_labels[name] ?? told.labels[name] ?? name.replaceAll("_", " ");
  const filled = words.replace("{}", value === undefined ? "–" : digits(value));
  return filled[0].toUpperCase() + filled.slice(1);
}

function related(keyphrase) {
  if (!keyphrase.related?.length) return [];
  return [make("p", {}, "Left out, because they share words with it: ",
    make("span", { class: "related" }, ...listed(keyphrase.related)))];
}

// Phrases with commas between them: those of a script from right to left keep to themselves.
export function listed(phrases) {
  return phrases.flatMap((phrase, index) => [index ? ", " : "", make("bdi", {}, phrase)]);
}

function places(keyphrase, text) {
  const found = keyphrase.occurrences ?? [];
  if (!found.length) return [];
  const at = offsets(text);
  const one = (place) => make("li", {},
    make("button", { type: "button", "data-start": String(at(place.start)) }, `line ${place.line}`), " ",
    make("bdi", {}, place.before, make("b", {}, text.slice(at(place.start), at(place.end)).replace(/\s+/g, " ")), place.after));
  const list = make("ul", { class: "places" }, ...found.slice(0, PATIENT).map(one));
  const all = [list];
  if (found.length > PATIENT) {
    const rest = make("button", { type: "button", class: "rest" }, `${found.length - PATIENT} more`);
    rest.addEventListener("click", () => {
      list.append(...found.slice(PATIENT).map(one));
      list.children[PATIENT].querySelector("button").focus();
      rest.remove();
    });
    all.push(rest);
  }
  return all;
}

function numbers(keyphrase, told) {
  const { contributions = {}, features = {} } = keyphrase;
  const rows = [row("score", digits(keyphrase.score), "the sum of the terms below, if there are any")];
  for (const [name, value] of Object.entries(contributions ?? {})) {
    const fact = name in features ? `from ${digits(features[name])}: ` : "";
    rows.push(row(name, (value < 0 ? "−" : "+") + Math.abs(value).toFixed(4), fact + (told.labels[name] ?? "")));
  }
  rows.push(row("raw score", digits(keyphrase.raw_score, 6), told.labels.raw_score));
  if (features?.mask_effect !== undefined) rows.push(row("without it", masked(features.mask_effect), told.labels.masked_similarity));
  if (keyphrase.confidence != null) rows.push(row("confidence", keyphrase.confidence.toFixed(3), told.labels.confidence));
  return make("details", { class: "numbers" }, make("summary", {}, "numbers"),
    make("table", {}, make("tbody", {}, ...rows)));
}

function row(name, value, about) {
  return make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "value" }, value), make("td", {}, about));
}
