// What is selected in the text, and selecting by keyboard. The server counts code points, the page UTF-16 units.

// The selection inside an element as {start, end} in code points; null if nothing is selected there.
export function selected(element) {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!element.contains(range.startContainer) || !element.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.selectNodeContents(element);
  before.setEnd(range.startContainer, range.startOffset);
  const start = [...before.toString()].length;
  const words = range.toString();
  return words.trim() ? { start, end: start + [...words].length, words } : null;
}

// Select characters of an element, in UTF-16 units.
export function select(element, start, end) {
  const range = document.createRange();
  let passed = 0;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let begun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!begun && start < passed + node.length) {
      range.setStart(node, start - passed);
      begun = true;
    }
    if (begun && end <= passed + node.length) {
      range.setEnd(node, end - passed);
      break;
    }
    passed += node.length;
  }
  const selection = document.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  range.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
}

// Words that are chosen with arrow keys: an anchor, and the word that moves.
export class WordCursor {
  constructor(text) {
    this.words = [...text.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_'’.+#/-]*[\p{L}\p{N}\p{M}+#])?/gu)]
      .map((found) => [found.index, found.index + found[0].length]);
    this.anchor = this.head = -1;
  }

  // One word on or back; the range of characters that is then chosen, or null if there are no words.
  move(step, extend) {
    if (!this.words.length) return null;
    this.head = Math.max(0, Math.min(this.words.length - 1, this.head + step));
    if (!extend || this.anchor < 0) this.anchor = this.head;
    const [first, last] = [Math.min(this.anchor, this.head), Math.max(this.anchor, this.head)];
    return [this.words[first][0], this.words[last][1]];
  }
}
