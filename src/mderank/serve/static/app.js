// The page: what is asked for, and what is shown.
import { $, make } from "./dom.js";
import { chance, listed, why } from "./explain.js";
import { flowing, softBreaks } from "./flow.js";
import { asCsv, asText, offsets, pieces, strengths } from "./marks.js";
import { Progress } from "./progress.js";
import { duration, percent } from "./words.js";

const READ_HERE = ["txt", "text", "md", "markdown"];
const IN_MARKDOWN = ["md", "markdown"];
const SENT = {
  html: "text/html", htm: "text/html", xhtml: "application/xhtml+xml", pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", epub: "application/epub+zip",
  eml: "message/rfc822", tex: "text/x-tex", latex: "text/x-tex", ipynb: "application/x-ipynb+json",
  rst: "text/x-rst", rest: "text/x-rst",
};
const LONG_SECONDS = 3; // texts that take longer are not computed again at each change
const MEASURED = 2000; // characters: what is shorter says little about the speed
const NAMED = 8; // phrases of the user's that are not in the text, and are named at once
const DEFAULTS = { method: "", style: "", language: "", compare: "", top: "12", diversity: "0", overlap: "",
  example: "" };

let offered = new Map();
let styles = [];
let languages = new Map(); // English names by code
let told = {}; // by the server: labels, names of chances, limits
const speeds = new Map(); // of each method, in characters per second: the server's, then those of this page
let limits = {};
let examples = [];
let key = null;
let opened = null; // {text, prose} of the file in the text field: what is not prose, such as formulas, is blank there
let typed = false; // whether the text is the user's: it may be there before the page has loaded
let loading = null; // what the page loads from the server, once and again if that failed
let running = null; // what can abort the requests under way
let timer = 0;
let shown = []; // {method, text, answer} of each pane

// --- the server -------------------------------------------------------------------------------------------------------

class Refused extends Error {
  constructor(status, error) {
    super(error?.message ?? `the server answered with status ${status}`);
    this.status = status;
    this.code = error?.code;
    this.details = error?.details ?? [];
  }
}

async function ask(path, options = {}, tries = 3) {
  const headers = { ...options.headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response.json();
  const error = (await response.json().catch(() => ({}))).error;
  if (response.status === 503 && tries > 1) {
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    say(`The server is busy: trying again in ${seconds} s.`);
    await new Promise((resolve, reject) => {
      const wait = setTimeout(resolve, 1000 * seconds);
      options.signal?.addEventListener("abort", () => {
        clearTimeout(wait);
        reject(new DOMException("aborted", "AbortError"));
      });
    });
    return ask(path, options, tries - 1);
  }
  throw new Refused(response.status, error);
}

function extract(text, method, signal) {
  const wanted = { text, method, top_k: Number($("top").value), explain: true };
  if ($("markdown").checked) wanted.format = "markdown";
  else if (opened?.text === text) wanted.prose = opened.prose; // as long as nobody has changed the text
  if (offered.get(method)?.diverse && Number($("diversity").value) > 0) wanted.diversity = Number($("diversity").value);
  if ($("style").value && takes(method, "style")) wanted.style = $("style").value;
  if ($("overlap").value) wanted.overlap = $("overlap").value;
  if ($("language").value) wanted.language = $("language").value;
  const own = linesOf("phrases");
  if (own.length) wanted.phrases = own.map(({ phrase }) => phrase);
  const seeds = takes(method, "seeds") ? linesOf("seeds") : [];
  if (seeds.length) {
    wanted.seeds = seeds.map(({ phrase }) => phrase);
    wanted.seed_weight = Number($("seed-weight").value);
  }
  const body = JSON.stringify(wanted);
  return ask("v1/extract", { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
}

// The phrases that the user listed in a field, with the lines that they stand in.
function linesOf(field) {
  return $(field).value.split("\n").map((line, index) => ({ phrase: wellFormed(line).trim(), line: index + 1 }))
    .filter(({ phrase }) => phrase);
}

function takes(method, option) {
  return Boolean(offered.get(method)?.options.includes(option));
}

// --- what is said -----------------------------------------------------------------------------------------------------

function say(text) {
  $("status").textContent = text;
}

function complain(error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) {
    $("unlock").hidden = false;
    $("key").focus();
  }
  $("problem").textContent = error instanceof TypeError ? "The server cannot be reached. When it runs again, press “Find keyphrases”."
    : explained(error);
  say("");
}

// An error of a field of the page names the field as the page does.
function explained(error) {
  const { where = "", problem = "" } = error.details?.[0] ?? {};
  const [, field, index] = /^body\.(phrases|seeds)(?:\.(\d+))?$/.exec(where) ?? [];
  if (!field) return error.message;
  const [, number, rest] = /^(?:number (\d+) )?(.*)$/s.exec(problem);
  const line = linesOf(field)[index ?? number - 1]?.line;
  const named = field === "phrases" ? "your phrases" : "your topics";
  return `${line ? `Line ${line} of ${named}` : `In ${named}`}${number ? " " : ": "}${rest}.`;
}

// --- finding keyphrases -----------------------------------------------------------------------------------------------

function wellFormed(text) {
  return text.toWellFormed ? text.toWellFormed() : text.replace(/[\ud800-\udfff]/gu, "\ufffd");
}

// The seconds that the text may take with these methods; null if they were not measured.
function expected(text, methods) {
  const each = methods.map((method) => text.length / speeds.get(method));
  return each.every(Number.isFinite) ? each.reduce((one, other) => one + other, 0) : null;
}

const chosen = () => [$("method").value, $("compare").value].filter(Boolean);

async function run() {
  clearTimeout(timer);
  running?.abort();
  $("problem").textContent = "";
  if (!offered.size) return void (await load());
  const text = wellFormed($("text").value);
  if (!text.trim()) {
    shown = [];
    $("results").replaceChildren();
    say("There is no text yet: paste one, or open a file.");
    return;
  }
  const methods = chosen();
  await work("Looking for keyphrases …", expected(text, methods), async (signal) => {
    const start = performance.now();
    const answers = await Promise.all(methods.map((method) => extract(text, method, signal)));
    const seconds = (performance.now() - start) / 1000;
    if (methods.length === 1 && text.length >= MEASURED) speeds.set(methods[0], text.length / seconds);
    shown = answers.map((answer, index) => ({ method: methods[index], text, answer }));
    show();
    const counts = answers.map((answer, index) => `${answer.keyphrases.length} by ${methods[index]}`).join(", ");
    say(`Keyphrases: ${counts}. ${seconds.toFixed(2)} s.`);
  });
}

// Do something that takes time and can be cancelled. What begins later cancels it too.
async function work(about, seconds, action) {
  running?.abort();
  const mine = (running = new AbortController());
  $("results").setAttribute("aria-busy", "true");
  say(about);
  progress.start(seconds);
  try {
    await action(mine.signal);
  } catch (error) {
    if (running === mine) {
      complain(error);
      if (shown.length && error.name !== "AbortError") say("Below are the keyphrases from before.");
    }
  } finally {
    if (running === mine) {
      running = null;
      progress.stop();
      $("results").removeAttribute("aria-busy");
    }
  }
}

function cancel() {
  clearTimeout(timer);
  if (!running) return;
  running.abort();
  say(shown.length ? "Cancelled. Below are the keyphrases from before." : "Cancelled.");
  $("run").focus();
}

function soon(milliseconds) {
  clearTimeout(timer);
  const seconds = expected($("text").value, chosen());
  if (seconds > LONG_SECONDS) {
    running?.abort();
    say(`Press “Find keyphrases”: this text takes about ${duration(seconds)}.`);
  } else {
    timer = setTimeout(run, milliseconds);
  }
}

// --- showing them -----------------------------------------------------------------------------------------------------

function show() {
  const results = $("results");
  results.className = shown.length > 1 ? "two" : "";
  results.replaceChildren(...shown.map(pane));
}

function pane({ method, text, answer }, number) {
  const found = answer.keyphrases;
  const strong = strengths(found);
  const other = shown[1 - number]?.answer.keyphrases.map(same);
  const head = make("header", {}, make("h2", { id: `h${number}` }, method), copies(number),
    ...readAs(answer.language), ...missing(answer.missing_phrases));
  const breaks = softBreaks(text);
  const list = found.length
    ? make("ol", { class: "list", "aria-labelledby": `h${number}` },
        ...found.map((each, index) => item(each, index, strong[index], number, other, text)))
    : make("p", { class: "none" }, "No phrase was found in this text.");
  const marked = pieces(text, found).flatMap((piece) => {
    const nodes = flowing(piece.text, piece.start, breaks);
    if (!piece.phrases) return nodes;
    const link = make("a", { href: `#${number}-${piece.owner}`, tabIndex: piece.first ? 0 : -1,
      "aria-describedby": `d${number}-${piece.owner}` }, ...nodes);
    const mark = make("mark", { class: piece.follows ? "follows" : "",
      "data-phrase": same(found[piece.owner]), "data-number": String(piece.owner), "data-start": String(piece.start), strength: Math.max(...piece.phrases.map((phrase) => strong[phrase])) }, link);
    covering.set(mark, piece.phrases.map((phrase) => same(found[phrase])));
    return mark;
  });
  const body = make("div", { class: "text", dir: "auto", lang: answer.language?.code ?? "" }, ...marked);
  return make("article", { class: "pane", "data-pane": String(number), "aria-labelledby": `h${number}` }, head, body, list);
}

// What a text that is not English was read as, and what to know of it.
function readAs(language) {
  if (!language || (language.code === "en" && !language.warnings.length)) return [];
  const sure = language.certainty == null ? "" : ` (${percent(language.certainty)} certain)`;
  const name = languages.get(language.code) ?? language.code;
  const notes = language.warnings.map((each) => make("li", {}, each));
  return [make("div", { class: "read-as" }, make("p", {}, `Read as ${name}${sure}.`), ...(notes.length ? [make("ul", {}, ...notes)] : []))];
}

// Phrases of the user's that the text does not have.
function missing(phrases) {
  if (!phrases?.length) return [];
  const rest = phrases.slice(NAMED);
  const named = make("p", { class: "missing" }, "Not in this text: ", ...listed(phrases.slice(0, NAMED)));
  if (!rest.length) return [named];
  return [named, make("details", { class: "missing" }, make("summary", {}, `and ${rest.length} more`),
    make("p", {}, ...listed(rest)))];
}

function same(keyphrase) {
  return keyphrase.text.toLowerCase();
}

const covering = new WeakMap(); // of a mark: all phrases that cover it

function copies(number) {
  const button = (form) => make("button", { type: "button", "data-copy": form, "data-of": String(number) }, form);
  return make("span", { class: "copies" }, "copy as", button("text"), button("JSON"), button("CSV"));
}

function item(keyphrase, index, strong, number, other, text) {
  const times = make("span", { class: "times" }, `${keyphrase.spans.length}×`);
  const likely = chance(keyphrase, told);
  const phrase = make("button", { type: "button", class: "phrase", "aria-describedby": `d${number}-${index}` },
    make("span", { class: "rank" }, String(index + 1)),
    make("span", { class: "words", dir: "auto" }, keyphrase.text),
    make("span", { class: "score", id: `d${number}-${index}` }, ...(likely ? [likely, " · "] : []), times));
  const under = make("div", { class: "under-phrase" }, why(keyphrase, text, told));
  if (other) {
    const there = other.indexOf(same(keyphrase));
    under.prepend(make("span", { class: there < 0 ? "other only" : "other" },
      there < 0 ? "only here" : `number ${there + 1} of the other`));
  }
  return make("li", { "data-phrase": same(keyphrase), "data-number": String(index) },
    phrase, make("span", { class: "bar", strength: strong }), under);
}

// --- text and list belong together ------------------------------------------------------------------------------------

function light(phrase) {
  for (const element of document.querySelectorAll("[data-phrase]")) {
    element.classList.toggle("lit", (covering.get(element) ?? [element.dataset.phrase]).includes(phrase));
  }
}

const still = window.matchMedia("(prefers-reduced-motion: reduce)");
const steps = new WeakMap(); // how often each phrase of the list was pressed: to its next place each time

function go(inside, start) {
  const target = inside.querySelector(`mark[data-start="${start}"] a`);
  target?.scrollIntoView({ block: "center", behavior: still.matches ? "instant" : "smooth" });
  target?.focus({ preventScroll: true });
}

function linkTextAndList() {
  const results = $("results");
  const phraseOf = (target) => target.closest?.("[data-phrase]")?.dataset.phrase;
  let pointed = null; // browsers tell of mouseover, but not of mousemove, when the page moves below a mouse at rest
  results.addEventListener("mousemove", (event) => {
    if (event.target !== pointed) light(phraseOf((pointed = event.target)));
  });
  results.addEventListener("mouseleave", () => {
    pointed = null;
    light(phraseOf(document.activeElement));
  });
  results.addEventListener("focusin", (event) => {
    pointed = null;
    light(phraseOf(event.target));
  });
  results.addEventListener("focusout", () => light(undefined));
  results.addEventListener("click", (event) => {
    const owner = event.target.closest("[data-number]");
    const inside = event.target.closest(".pane");
    if (event.target.closest("mark a")) {
      event.preventDefault();
      const phrase = inside.querySelector(`li[data-number="${owner.dataset.number}"] .phrase`);
      phrase?.scrollIntoView({ block: "nearest" });
      phrase?.focus({ preventScroll: true });
    } else if (event.target.closest(".phrase")) {
      const { text, answer } = shown[inside.dataset.pane];
      const { spans } = answer.keyphrases[owner.dataset.number];
      const step = steps.get(spans) ?? 0;
      steps.set(spans, step + 1);
      go(inside, offsets(text)(spans[step % spans.length][0]));
    } else if (event.target.closest(".places button")) {
      go(inside, event.target.dataset.start);
    } else if (event.target.dataset.copy) {
      copy(event.target.dataset.copy, Number(event.target.dataset.of));
    }
  });
  results.addEventListener("keydown", (event) => {
    const phrase = event.target.closest(".phrase");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!phrase || !step) return;
    event.preventDefault();
    const all = [...phrase.closest("ol").querySelectorAll(".phrase")];
    all[all.indexOf(phrase) + step]?.focus();
  });
}

// --- copying ----------------------------------------------------------------------------------------------------------

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that come over plain HTTP from another machine have no clipboard but this.
    const area = make("textarea", { value: text });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("This browser does not let the page copy.");
  }
}

async function copy(form, number) {
  const { answer } = shown[number];
  const found = answer.keyphrases;
  const made = { text: () => asText(found), JSON: () => JSON.stringify(answer, null, 2) + "\n", CSV: () => asCsv(found) };
  try {
    await toClipboard(made[form]());
    say(`${found.length} keyphrases were copied as ${form}.`);
  } catch (error) {
    complain(error);
  }
}

// --- settings, and the link that restores them ------------------------------------------------------------------------

function settings() {
  return { method: $("method").value, style: $("style").value, language: $("language").value, compare: $("compare").value, top: $("top").value,
    diversity: $("diversity").value, overlap: $("overlap").value, example: $("example").value };
}

function remember() {
  const given = Object.entries(settings()).filter(([name, value]) => value !== DEFAULTS[name]);
  const fragment = new URLSearchParams(given).toString();
  history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
}

function choose(select, value) {
  const there = [...select.options].some((option) => option.value === value);
  select.value = there ? value : DEFAULTS[select.id];
}

// The settings of the link. A text of the user's is kept unless `keepsText` is false.
function restore(keepsText) {
  const wanted = { ...DEFAULTS, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) };
  choose($("method"), wanted.method);
  choose($("style"), wanted.style);
  choose($("language"), wanted.language);
  choose($("compare"), wanted.compare);
  for (const name of ["top", "diversity"]) {
    if (Number.isFinite(Number(wanted[name]))) $(name).value = wanted[name]; // the slider keeps within its bounds
  }
  choose($("overlap"), wanted.overlap);
  if (keepsText) $("example").value = "";
  else choose($("example"), wanted.example);
  if ($("example").value) useExample();
  describe();
}

function describe() {
  const method = offered.get($("method").value);
  const two = [method, offered.get($("compare").value)].filter(Boolean);
  $("method-about").textContent = method ? method.summary : "";
  const taking = two.filter((each) => takes(each.name, "style"));
  const style = styles.find((each) => each.name === $("style").value);
  $("style").disabled = !taking.length;
  $("style-about").textContent = !taking.length ? `${method?.name ?? "This"} has no styles.`
    : style?.preferences.length ? `It prefers ${style.preferences.join(", ")}.` : "";
  $("top-shown").textContent = $("top").value;
  $("diversity-shown").textContent = Number($("diversity").value).toFixed(2);
  const diverse = two.filter((each) => each.diverse);
  $("diversity").disabled = !diverse.length;
  $("diversity-about").textContent = diverse.length === two.length ? "The higher, the fewer similar phrases." :
    diverse.length ? `Of these only ${diverse[0].name} can avoid similar phrases.` : `${method?.name ?? "This"} cannot avoid similar phrases.`;
  $("overlap-about").textContent = $("overlap").value ? "" : two.map((each) => `${each.name}: ${each.overlap}.`).join(" ");
  const own = linesOf("phrases").length;
  $("phrases-about").textContent = own ? `${own} ${own === 1 ? "phrase" : "phrases"}, ranked by how much each matters in the text.` : "";
  describeSeeds(two);
  const length = [...$("text").value].length;
  $("count").textContent = `${length.toLocaleString("en")} of ${(limits.max_text_chars ?? 0).toLocaleString("en")} characters`;
}

function describeSeeds(methods) {
  const taking = methods.filter((each) => takes(each.name, "seeds"));
  const seeds = linesOf("seeds").length;
  $("seeds").disabled = !taking.length;
  $("weight").hidden = !seeds || !taking.length;
  $("seed-weight-shown").textContent = Number($("seed-weight").value).toFixed(2);
  const why = taking.length ? `Of these only ${taking[0].name} takes topics.` : `${methods[0]?.name ?? "This"} takes no topics.`;
  $("seeds-about").textContent = taking.length < methods.length && (seeds || !taking.length) ? why
    : seeds ? "Phrases that are close to them in meaning come first." : "";
}

function changed(wait) {
  if (!offered.size) return; // the page is loading, and runs when it has
  describe();
  remember();
  soon(wait);
}

// --- where texts come from --------------------------------------------------------------------------------------------

function useText(text, markdown) {
  $("text").value = text;
  $("markdown").checked = markdown;
  describe();
}

function useExample() {
  const example = examples.find((each) => each.name === $("example").value);
  if (!example) return;
  typed = false;
  useText(example.text, example.markdown);
}

async function useFile(file) {
  const suffix = suffixOf(file);
  $("problem").textContent = "";
  clearTimeout(timer);
  let read = null;
  await work(`Reading ${file.name} …`, null, async (signal) => {
    const found = await textOf(file, signal);
    signal.throwIfAborted();
    if (!found.text.trim()) throw new Error(`${file.name} has no text.`);
    read = found;
  });
  if (read === null) return;
  opened = read.prose ? withoutReturns(read) : null;
  useText(read.text, IN_MARKDOWN.includes(suffix));
  typed = true;
  $("example").value = "";
  if (offered.size) remember(); // before that the link's settings are not restored yet
  await run();
}

const suffixOf = (file) => file.name.toLowerCase().split(".").pop();
const inMegabytes = (bytes) => (bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 });

async function textOf(file, signal) {
  const suffix = suffixOf(file);
  if (file.size > (limits.max_file_bytes ?? Infinity)) {
    throw new Error(`${file.name} has ${inMegabytes(file.size)} MB. This server takes ${inMegabytes(limits.max_file_bytes)} MB at most.`);
  }
  if (READ_HERE.includes(suffix)) return { text: decoded(file.name, new Uint8Array(await file.arrayBuffer())), prose: null };
  if (!Object.hasOwn(SENT, suffix)) {
    const suffixes = [...READ_HERE, ...Object.keys(SENT)].map((each) => `.${each}`).join(", ");
    throw new Error(`${file.name} cannot be read here. This page reads files that end with ${suffixes}.`);
  }
  try {
    const headers = { "Content-Type": SENT[suffix] };
    return await ask("v1/read", { method: "POST", headers, body: file, signal });
  } catch (error) {
    if (error instanceof Refused) error.message = error.message.replace(/^the file\b/, file.name);
    throw error;
  }
}

// The text as the text field gives it back, which has other line ends. Offsets of the server count code points.
function withoutReturns({ text, prose }) {
  const all = [...text];
  const kept = all.map((mark, at) => mark !== "\r" || all[at + 1] !== "\n");
  const without = (each) => [...each].filter((_, at) => kept[at]).join("");
  return { text: wellFormed(without(text)).replaceAll("\r", "\n"), prose: wellFormed(without(prose)).replaceAll("\r", "\n") };
}

// As the server decodes files: UTF-8, or UTF-16 with a byte order mark. A text in another encoding is not guessed at.
function decoded(name, bytes) {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  let text = "\0";
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    // said below
  }
  if (text.includes("\0")) throw new Error(`${name} is not a text in UTF-8. Save it as UTF-8, or paste its text.`);
  return text;
}

function useFiles(files) {
  if (files.length > 1) complain(new Error("This page shows one text: choose one file."));
  else if (files.length) useFile(files[0]);
}

function takeFiles() {
  const zone = document.querySelector(".source");
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.add("over-it");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      if (name === "drop" || !event.relatedTarget) zone.classList.remove("over-it");
    });
  }
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    useFiles(event.dataTransfer.files);
  });
  $("file").addEventListener("change", () => {
    useFiles([...$("file").files]);
    $("file").value = "";
  });
}

// --- the beginning ----------------------------------------------------------------------------------------------------

function fill(methods) {
  const kinds = { embedding: "embeddings", graph: "graphs", statistics: "statistics", floor: "to compare with" };
  for (const [select, first] of [[$("method"), null], [$("compare"), "nothing"]]) {
    select.replaceChildren(...(first ? [make("option", { value: "" }, first)] : []));
    for (const [kind, name] of Object.entries(kinds)) {
      const some = methods.filter((each) => each.kind === kind);
      if (some.length) select.append(make("optgroup", { label: name }, ...some.map((each) => make("option", { value: each.name }, each.name))));
    }
  }
  $("styles").hidden = !styles.length;
  $("style").replaceChildren(make("option", { value: "" }, "none: the general default"),
    ...styles.map((each) => make("option", { value: each.name }, each.name)));
  $("language").replaceChildren(make("option", { value: "" }, "found from the text"),
    ...[...languages].map(([code, name]) => make("option", { value: code }, name)));
  $("example").replaceChildren(make("option", { value: "" }, "none"),
    ...examples.map((each) => make("option", { value: each.name }, each.title)));
}

function load() {
  loading ??= begin().catch(complain).finally(() => (loading = null));
  return loading;
}

async function begin() {
  say("Loading …");
  const [answer, texts] = await Promise.all([ask("v1/methods", {}, 20), ask("page/examples.json")]);
  examples = texts;
  told = answer;
  for (const [method, speed] of Object.entries(answer.speeds)) speeds.set(method, speed);
  styles = answer.styles;
  languages = new Map(answer.languages.map((each) => [each.code, each.name]));
  limits = answer.limits;
  offered = new Map(answer.methods.map((each) => [each.name, each]));
  DEFAULTS.method = answer.default;
  DEFAULTS.example = examples[0].name;
  fill(answer.methods);
  restore(typed);
  say("");
  if (!running) await run(); // a file may be read already
}

function listen() {
  linkTextAndList();
  takeFiles();
  $("run").addEventListener("click", run);
  $("text").addEventListener("input", () => {
    typed = true;
    $("example").value = "";
    changed(600);
  });
  for (const id of ["text", "phrases", "seeds"]) {
    $(id).addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
    });
  }
  for (const id of ["phrases", "seeds"]) $(id).addEventListener("input", () => changed(600));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address holds the settings
    $("results").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") cancel();
  });
  for (const id of ["method", "style", "language", "compare", "overlap", "markdown"]) $(id).addEventListener("change", () => changed(0));
  for (const id of ["top", "diversity", "seed-weight"]) $(id).addEventListener("input", () => changed(200));
  $("example").addEventListener("change", () => {
    useExample();
    changed(0);
  });
  $("link").addEventListener("click", async () => {
    remember();
    try {
      await toClipboard(location.href);
      say("The link was copied. It restores the settings and the example; a text, phrases and topics of your own are not in it.");
    } catch (error) {
      complain(error);
    }
  });
  $("unlock").addEventListener("submit", (event) => {
    event.preventDefault();
    key = $("key").value;
    $("unlock").hidden = true;
    $("problem").textContent = "";
    run();
  });
  window.addEventListener("hashchange", () => {
    if (!offered.size) return; // the page is loading, and restores what the link says when it has
    restore(typed && !new URLSearchParams(location.hash.slice(1)).get("example"));
    run();
  });
}

const progress = new Progress($("progress"), cancel);
// On a phone the settings would stand between the text and its phrases, and in a low window push them out of sight.
$("settings").open = !window.matchMedia("(max-width: 60rem), (max-height: 52rem)").matches;
listen();
load();
