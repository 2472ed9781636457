// From an answer of the API to what is shown of it. Nothing here touches the page.

// The API counts code points, JavaScript UTF-16 units: where each code point begins.
export function offsets(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (point) => point;
  const starts = [];
  for (let unit = 0; unit < text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) starts.push(unit);
  starts.push(text.length);
  return (point) => starts[Math.min(point, starts.length - 1)];
}

// What bars and colours show, 0 to 1: the score beside the best one. (Confidences are alike where all are very likely.)
export function strengths(keyphrases) {
  const values = keyphrases.map((each) => each.score);
  const best = Math.max(...values, 0);
  return values.map((value) => (best > 0 ? Math.max(0, value / best) : 0));
}

// The text in pieces, in order: {text, start}, and what phrases cover {text, start, phrases, owner, first, follows}.
// Phrases may stand in each other: `phrases` are all that cover the piece, `owner` is the longest of them, `first` says
// that the owner has its first place here, and `follows` that the piece before is of the same place.
export function pieces(text, keyphrases) {
  const at = offsets(text);
  const places = keyphrases.flatMap((each, phrase) =>
    each.spans.map(([first, last], place) => ({ start: at(first), end: at(last), phrase, place })));
  const cuts = [...new Set([0, text.length, ...places.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  const starting = new Map();
  for (const place of places) starting.set(place.start, [...(starting.get(place.start) ?? []), place]);
  let open = [];
  const begun = new Set();
  let before = null;
  return cuts.slice(0, -1).map((start, index) => {
    const piece = { text: text.slice(start, cuts[index + 1]), start };
    open = [...open.filter(({ end }) => end > start), ...(starting.get(start) ?? [])];
    const longest = open.reduce((one, other) => (!one || other.end - other.start > one.end - one.start ? other : one), null);
    const follows = longest !== null && longest === before;
    before = longest;
    if (!longest) return piece;
    const owner = longest.phrase;
    const first = !begun.has(owner);
    begun.add(owner);
    return { ...piece, phrases: [...new Set(open.map(({ phrase }) => phrase))].sort((a, b) => a - b), owner, first, follows };
  });
}

// What masking a phrase changed, for people. In a long text it is so little that digits of the cosine show none of it.
export function masked(change) {
  return change >= 1e-5 ? (1 - change).toPrecision(6) : `1 − ${change.toPrecision(3)}`;
}

export function asText(keyphrases) {
  return keyphrases.map((each) => each.text).join("\n") + "\n";
}

export function asCsv(keyphrases) {
  const rows = keyphrases.map((each, index) => [
    index + 1, each.text, each.score, each.raw_score, each.spans.length, each.spans.map((span) => span.join(":")).join(" "),
  ]);
  return [["rank", "keyphrase", "score", "raw_score", "count", "spans"], ...rows]
    .map((row) => row.map(cell).join(",") + "\n").join("");
}

function cell(value) {
  // A cell that begins like a formula is computed by spreadsheets: an apostrophe keeps it a text.
  // The same rule as in writing/csv.py, by which every text can be read back.
  const text = typeof value === "string" && /^'*[=+@\t\r\n＝＋－＠-]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
