// What is said while the server works: how long so far, how long it may take, and a way to give it up.
import { make } from "./dom.js";
import { duration } from "./words.js";

const SHOWN_AFTER = 500; // milliseconds: what is quicker needs no progress

export class Progress {
  // `place` is shown while something runs; `cancelled` is called when the user gives it up.
  constructor(place, cancelled) {
    this.place = place;
    this.time = make("span", { class: "elapsed" });
    this.button = make("button", { type: "button", id: "cancel" }, "Cancel");
    this.button.addEventListener("click", cancelled);
    place.append(make("progress", { "aria-label": "working" }), this.time, this.button);
    this.timers = [];
  }

  // `expected` is in seconds; null or undefined where nothing was measured.
  start(expected) {
    this.stop();
    const begun = performance.now();
    const tell = () => {
      const seconds = (performance.now() - begun) / 1000;
      this.time.textContent = `${duration(seconds)} so far${outlook(seconds, expected)}`;
    };
    const show = () => {
      tell();
      this.place.hidden = false;
    };
    this.timers = [setTimeout(show, SHOWN_AFTER), setInterval(tell, 1000)];
  }

  stop() {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    this.place.hidden = true;
  }
}

function outlook(seconds, expected) {
  if (expected == null) return "";
  if (seconds > 1.2 * expected) return `, longer than expected (${duration(expected)})`;
  return `, about ${duration(expected)} expected`;
}
