// The page of mderank label. What is shown is what the server has saved. Text gets into the page as text only.
import { pieces } from "./marks.js";
import { select, selected, WordCursor } from "./selection.js";

const $ = (id) => document.getElementById(id);
const WAIT = 1500; // milliseconds between two questions whether learning is done
let total = 0;
let shown = null; // the document that is shown, as the server told it
let learnedVersion = null; // of the style that the shown document was asked with
let cursor = null;
let busy = Promise.resolve(); // changes go to the server one after the other
let replacing = false; // whether saving replaces a style file that exists
let asking = 0;

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = value;
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// --- the server -------------------------------------------------------------------------------------------------------

async function ask(path, body) {
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`v1/${path}`, sent);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const error = new Error(answer.error?.message ?? `the server answered with status ${response.status}`);
  error.status = response.status;
  throw error;
}

function say(text) {
  $("status").textContent = text;
}

function complain(error) {
  const lost = error instanceof TypeError;
  $("problem").textContent = lost ? "The server cannot be reached: what you click now is not saved. Start mderank label again." : error.message;
  say("");
}

// One change after the other, so that answers arrive in the order of the clicks.
function change(action) {
  busy = busy.then(async () => {
    $("problem").textContent = "";
    await action();
  }).catch(complain);
  return busy;
}

// --- showing a document -----------------------------------------------------------------------------------------------

function show(answer) {
  const other = shown?.number !== answer.number;
  const focused = document.activeElement?.closest?.("[data-phrase]")?.dataset.phrase;
  const textChanged = other || shown.text !== answer.text;
  shown = answer;
  total = answer.total;
  learnedVersion = answer.learned?.version ?? null;
  if (textChanged) cursor = new WordCursor(answer.text);
  $("progress").textContent = `${answer.labelled} of ${total} labelled`;
  $("bar").max = total;
  $("bar").value = answer.labelled;
  $("number").value = answer.number + 1;
  $("number").max = total;
  $("of").textContent = `of ${total}`;
  $("name").textContent = answer.id;
  $("state").textContent = answer.done ? (ticked().length ? "labelled" : "labelled: no phrase is right") : "not labelled yet";
  $("state").className = answer.done ? "done" : "";
  $("previous").disabled = answer.number === 0;
  $("none").disabled = Boolean(answer.error) || ticked().length > 0;
  $("next-about").textContent = answer.done || answer.error ? "" : ticked().length ? "marks this document as labelled" : "tick a phrase first, or say that none is right";
  if (answer.error) $("problem").textContent = answer.error;
  document.title = `${answer.number + 1} of ${total}: mderank label`;
  history.replaceState(null, "", `#${answer.number + 1}`);
  showText();
  showPhrases();
  showGiven();
  if (focused !== undefined) focusPhrase(focused);
}

function ticked() {
  return shown.phrases.filter((each) => each.verdict === "right");
}

function showText() {
  const { phrases, text } = shown;
  const kept = selectionInUnits();
  const rank = { right: 2, wrong: 0 };
  $("text").replaceChildren(...pieces(text, phrases).map((piece) => {
    if (!piece.phrases) return document.createTextNode(piece.text);
    const covering = piece.phrases.map((index) => phrases[index]);
    const best = covering.reduce((one, two) => ((rank[two.verdict] ?? 1) > (rank[one.verdict] ?? 1) ? two : one));
    const mark = make("mark", { class: `${best.verdict ?? "open"}${piece.follows ? " follows" : ""}`, "data-owner": key(phrases[piece.owner]) }, piece.text);
    mark.dataset.covers = JSON.stringify(covering.map(key));
    return mark;
  }));
  if (kept) select($("text"), ...kept);
}

// What is selected stays selected when the marks are drawn again.
function selectionInUnits() {
  const found = selected($("text"));
  if (!found) return null;
  const points = [...$("text").textContent];
  const start = points.slice(0, found.start).join("").length;
  return [start, start + found.words.length];
}

const key = (phrase) => phrase.text.toLowerCase();
const SOURCES = { found: "", learned: "learned", own: "added" };

function showPhrases() {
  const { phrases, error } = shown;
  const items = phrases.map((phrase, index) => {
    const right = phrase.verdict === "right";
    const wrong = phrase.verdict === "wrong";
    const times = phrase.spans.length;
    const about = [times ? `${times}×` : "", SOURCES[phrase.source]].filter(Boolean).join(" · ");
    return make("li", { class: phrase.verdict ?? "open", "data-phrase": key(phrase) },
      make("button", { type: "button", class: "tick", "aria-pressed": String(right), "aria-describedby": `about${index}`, tabIndex: index ? -1 : 0 },
        make("span", { class: "box", "aria-hidden": "true" }, right ? "✓" : ""),
        make("span", { class: "words" }, phrase.text)),
      make("span", { class: "about", id: `about${index}` }, wrong ? `wrong · ${about}` : about),
      make("button", { type: "button", class: "cross", "aria-pressed": String(wrong), "aria-label": `cross out ${phrase.text}`, title: "cross out (x)", tabIndex: -1 }, "✕"));
  });
  $("phrases").replaceChildren(...items);
  if (!items.length && !error) $("phrases").append(make("li", { class: "nothing" }, "No phrase was found. Select one in the text, or say that none is right."));
}

function showGiven() {
  const given = shown.learned;
  $("given").hidden = !given;
  if (!given) return;
  const before = shown.phrases.filter((each) => each.source === "found").slice(0, given.phrases.length).map(key);
  $("given-about").textContent = given.in_training ? "It has learned from this document too, so that this list says little about others." : "";
  $("given-list").replaceChildren(...given.phrases.map((text) => {
    const verdict = shown.phrases.find((each) => key(each) === text.toLowerCase())?.verdict;
    const item = make("li", { class: verdict ?? "open" }, text);
    if (!before.includes(text.toLowerCase())) item.append(make("span", { class: "about" }, " new"));
    if (verdict) item.append(make("span", { class: "about" }, verdict === "right" ? " ✓" : " ✕"));
    return item;
  }));
}

// --- going through the phrases ----------------------------------------------------------------------------------------

const ticks = () => [...$("phrases").querySelectorAll(".tick")];

function focusPhrase(wanted) {
  const item = [...$("phrases").children].find((each) => each.dataset.phrase === wanted);
  focusTick(item?.querySelector(".tick"));
}

function focusTick(button, options) {
  if (!button) return;
  for (const each of ticks()) each.tabIndex = each === button ? 0 : -1;
  button.focus(options);
}

function current() {
  return document.activeElement?.closest?.("#phrases [data-phrase]")?.dataset.phrase;
}

function step(by) {
  const all = ticks();
  const at = all.findIndex((each) => each.closest("li").dataset.phrase === current());
  focusTick(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))]);
}

function light(phrase) {
  for (const mark of $("text").querySelectorAll("mark")) {
    mark.classList.toggle("lit", phrase !== undefined && JSON.parse(mark.dataset.covers).includes(phrase));
  }
}

// --- labels -----------------------------------------------------------------------------------------------------------

const here = () => `documents/${shown.number}`;

function judge(wanted, verdict) {
  return change(async () => {
    const phrase = shown.phrases.find((each) => key(each) === wanted);
    if (!phrase) return;
    const now = phrase.verdict === verdict ? null : verdict;
    show(await ask(`${here()}/verdict`, { phrase: phrase.text, verdict: now }));
    say(`“${phrase.text}”: ${now ?? "neither right nor wrong"}. Saved.`);
    askLater(0);
  });
}

function add() {
  const found = selected($("text"));
  if (!found) return say("Select a phrase in the text first.");
  return change(async () => {
    const answer = await ask(`${here()}/selection`, { start: found.start, end: found.end });
    document.getSelection().removeAllRanges();
    show(answer);
    offer();
    focusPhrase(answer.added.toLowerCase());
    say(`“${answer.added}” was added. Saved.`);
    askLater(0);
  });
}

function finish(done) {
  return ask(`${here()}/done`, { done });
}

async function open(number) {
  $("desk").setAttribute("aria-busy", "true");
  try {
    show(await ask(`documents/${number}`));
    $("text").scrollTop = 0;
    window.scrollTo(0, 0);
    focusTick(ticks()[0], { preventScroll: true }); // a document begins with its text
  } finally {
    $("desk").removeAttribute("aria-busy");
  }
}

function go(by) {
  const number = shown.number + by;
  if (number < 0) return;
  if (number >= total) return say(shown.labelled === total ? "All documents are labelled." : "This is the last document.");
  say("");
  return open(number);
}

const next = () => change(async () => {
  if (!shown.done && ticked().length) show(await finish(true));
  const note = shown.done || shown.error ? "" : "This document is not labelled: no phrase was ticked.";
  await go(1);
  if (note && shown.number + 1 < total) say(note);
  askLater(0);
});

const none = () => change(async () => {
  if (shown.error) return;
  if (ticked().length) return say("A phrase is ticked, so that some phrase is right: press next.");
  show(await finish(true));
  await go(1);
  askLater(0);
});

const later = () => change(() => go(1));
const previous = () => change(() => go(-1));

// --- what was learned -------------------------------------------------------------------------------------------------

function askLater(wait) {
  clearTimeout(asking);
  asking = setTimeout(() => learned().catch(complain), wait);
}

async function learned() {
  const answer = await ask("style");
  $("message").textContent = answer.message;
  $("prefers").textContent = answer.preferences?.length ? `It prefers ${answer.preferences.join(", ")}.` : "";
  $("save").hidden = $("measured").hidden = answer.version === undefined;
  if (answer.version !== undefined && answer.version !== learnedVersion && shown) {
    learnedVersion = answer.version;
    $("saved").hidden = true; // what was saved is older
    await change(async () => show(await ask(here())));
  } else if (answer.version === undefined && learnedVersion !== null && shown) {
    await change(async () => show(await ask(here())));
  }
  if (answer.status === "learning") askLater(WAIT);
}

const save = () => change(async () => {
  try {
    const answer = await ask("style", { overwrite: replacing });
    $("command").textContent = answer.command;
    $("doubt").textContent = answer.note;
    $("saved").hidden = false;
    $("save").textContent = "Save this style";
    replacing = false;
    say(`The style was saved as ${answer.file}.`);
  } catch (error) {
    if (error.status !== 409) throw error;
    replacing = true;
    $("save").textContent = "Replace the file";
    say(error.message);
  }
});

// --- mouse and keys ---------------------------------------------------------------------------------------------------

function toggleKeys() {
  $("keys").hidden = !$("keys").hidden;
  $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
}

const KEYS = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  y: () => current() !== undefined && judge(current(), "right"),
  " ": () => current() !== undefined && judge(current(), "right"),
  x: () => current() !== undefined && judge(current(), "wrong"),
  a: add, n: next, p: previous, l: later, 0: none, "?": toggleKeys,
  t: () => {
    $("text").focus();
    if (!selected($("text"))) chooseWord(1, false);
  },
};

function chooseWord(by, extend) {
  const range = cursor?.move(by, extend);
  if (!range) return;
  select($("text"), ...range);
  offer();
  say(document.getSelection().toString().replace(/\s+/g, " "));
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest?.("input, select, textarea");
  if (field) return;
  if (event.target === $("text")) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) {
      event.preventDefault();
      return chooseWord(by, event.shiftKey);
    }
    if (event.key === "Enter") return void add();
    if (event.key === "Escape") {
      document.getSelection().removeAllRanges();
      offer();
      return focusTick(ticks().find((each) => each.tabIndex === 0) ?? ticks()[0]);
    }
    if (event.key.startsWith("Arrow") || event.key === " ") return; // they scroll the text
  }
  // Space and Enter press the button that has the focus; of a phrase, space ticks.
  if (event.key === " " && !event.target.closest?.(".tick")) return;
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

// The button that adds what is selected stands at the selection.
function offer() {
  const found = selected($("text"));
  $("add").hidden = !found;
  if (!found) return;
  const words = found.words.trim().replace(/\s+/g, " ");
  $("add").textContent = `Add “${words.length > 40 ? `${words.slice(0, 38)} …` : words}” (a)`;
}

function listen() {
  document.addEventListener("keydown", pressed);
  document.addEventListener("selectionchange", offer);
  $("phrases").addEventListener("click", (event) => {
    const item = event.target.closest("[data-phrase]");
    if (event.target.closest(".cross")) judge(item.dataset.phrase, "wrong");
    else if (event.target.closest(".tick")) judge(item.dataset.phrase, "right");
    if (item) focusPhrase(item.dataset.phrase);
  });
  for (const [name, phraseOf] of [
    ["focusin", (event) => event.target.closest("[data-phrase]")?.dataset.phrase], ["focusout", () => undefined],
    ["mouseover", (event) => event.target.closest("[data-phrase]")?.dataset.phrase], ["mouseleave", () => current()],
  ]) $("phrases").addEventListener(name, (event) => light(phraseOf(event)));
  $("text").addEventListener("click", (event) => {
    const mark = event.target.closest("mark");
    if (mark && !selected($("text"))) focusPhrase(mark.dataset.owner);
  });
  $("add").addEventListener("mousedown", (event) => event.preventDefault()); // which would take the selection away
  $("add").addEventListener("click", add);
  $("next").addEventListener("click", next);
  $("none").addEventListener("click", none);
  $("later").addEventListener("click", later);
  $("previous").addEventListener("click", previous);
  $("save").addEventListener("click", save);
  $("help").addEventListener("click", toggleKeys);
  $("number").addEventListener("change", () => {
    const number = Math.max(1, Math.min(total, Math.round(Number($("number").value)) || 1));
    change(() => open(number - 1));
  });
  window.addEventListener("hashchange", () => {
    const number = Number(location.hash.slice(1));
    if (number >= 1 && number <= total && number - 1 !== shown?.number) change(() => open(number - 1));
  });
  // Another page may have changed the labels meanwhile.
  window.addEventListener("focus", () => shown && change(async () => show(await ask(here()))).then(() => askLater(0)));
}

async function begin() {
  say("Loading …");
  const overview = await ask("documents");
  $("file").textContent = overview.file;
  total = overview.total;
  const wanted = Number(location.hash.slice(1));
  const open_ = overview.documents.findIndex((each) => each.state !== "done");
  await open(wanted >= 1 && wanted <= total ? wanted - 1 : Math.max(0, open_));
  say("");
  await learned();
}

listen();
change(begin);
