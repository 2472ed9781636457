// Paragraphs that were cut into lines of one width, as in mail and in text from PDF, are shown as paragraphs again.
// The text stays as it is, so that offsets hold: a line's end that is no paragraph's is only shown as a space.
import { make } from "./dom.js";

const NARROWEST = 40; // characters: narrower blocks are addresses, verses, lists
const WIDEST = 160; // wider lines are paragraphs already
const FULL = 0.8; // of the width: a line that could have taken the next word was ended on purpose
const BEGINS_ANEW = /^\s*(?:[-*+•·–—#>|=_~]|\d{1,3}[.)]\s|[a-z][.)]\s|\[\d+\]|`{3}|\[?\d{1,2}[:.]\d\d|[\p{L}\p{N}-]{1,20}:\s)/u;
const ITEM = /^\s*(?:[-*+•·]|\(?\w{1,3}[.)]|\d+(?:\.\d+)*)\s+/; // what continues below its words is of the item
const IS_ALONE = /^\s*[#>|]|\S(?: {3,}|\t)\S/; // headings, quotations and rows of tables
const DEEP = 4; // spaces: what stands further in, and is not of an item, is code or a table
const WIDE_LETTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

// The line ends that are shown as a space, or as nothing: {start, end, shown} in order.
export function softBreaks(text) {
  const lines = linesOf(text);
  const width = usualWidth(lines);
  if (width < NARROWEST || width > WIDEST) return [];
  const found = [];
  let block = [];
  let fenced = false;
  const close = () => {
    let inner = 0; // where the words of an item begin
    if (!isVerse(block)) {
      for (const [index, line] of block.entries()) {
        inner = ITEM.exec(line.words)?.[0].length ?? inner;
        found.push(...breakAfter(line, block[index + 1], inner, width));
      }
    }
    block = [];
  };
  for (const line of lines) {
    const fence = /^\s*(?:`{3}|~{3})/.test(line.words);
    if (fence) fenced = !fenced;
    if (!line.words.trim() || fence || fenced) close();
    else block.push(line);
  }
  close();
  return found;
}

function linesOf(text) {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)].filter((each) => each[0]).map((each) => ({
    start: each.index, words: each[1].trimEnd(), end: each.index + each[1].length, next: each.index + each[0].length }));
}

// Nine of ten lines that another follows are not longer.
function usualWidth(lines) {
  const lengths = lines.filter((line, index) => line.words && lines[index + 1]?.words)
    .map((line) => line.words.length).sort((a, b) => a - b);
  return lengths.length ? lengths[Math.floor(0.9 * (lengths.length - 1))] : 0;
}

// Lines that all begin with a capital are verses, names or headings.
function isVerse(block) {
  return block.length > 3 && block.every(({ words }) => /^\s*\p{Lu}/u.test(words)) && block.some(({ words }) => /\p{Ll}/u.test(words));
}

const indentOf = ({ words }) => words.length - words.trimStart().length;

function breakAfter(line, next, inner, width) {
  if (!next || BEGINS_ANEW.test(next.words) || IS_ALONE.test(line.words) || IS_ALONE.test(next.words)) return [];
  const indent = indentOf(next);
  if (next.words.startsWith("\t") || (Math.max(indent, indentOf(line)) >= DEEP && indent !== inner)) return [];
  const first = next.words.trimStart().split(/\s/, 1)[0];
  if (line.words.length + 1 + first.length <= FULL * width) return [];
  const [before, after] = [line.words.at(-1), first.at(0)];
  const divided = /[\p{L}\p{N}][-\u00ad\u2010]$/u.test(line.words) && /^\p{L}/u.test(first);
  const shown = divided || (WIDE_LETTER.test(before) && WIDE_LETTER.test(after)) ? "" : " ";
  return [{ start: line.start + line.words.length, end: next.start + indent, shown }];
}

// A piece of the text as nodes, with soft breaks as elements that style.css shows as spaces.
export function flowing(words, start, breaks) {
  const nodes = [];
  let at = 0;
  for (const each of breaksIn(breaks, start, start + words.length)) {
    const [from, to] = [Math.max(0, each.start - start), Math.min(words.length, each.end - start)];
    nodes.push(words.slice(at, from), make("span", { class: each.shown ? "soft" : "soft none" }, words.slice(from, to)));
    at = to;
  }
  nodes.push(words.slice(at));
  return nodes.filter((node) => node !== "");
}

function breaksIn(breaks, start, end) {
  let [low, high] = [0, breaks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (breaks[middle].end <= start) low = middle + 1;
    else high = middle;
  }
  const found = [];
  for (; low < breaks.length && breaks[low].start < end; low++) found.push(breaks[low]);
  return found;
}
