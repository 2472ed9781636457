// Numbers in words. The names of chances come from the server: GET /v1/methods.

const AMOUNTS = [[0.25, "a lot"], [0.1, "some"], [0.02, "a little"]]; // of the sum of all terms

// The name of a chance, such as "very likely"; the scale is [{least, words}], the highest first.
export function chanceWords(chance, scale) {
  return scale.find(({ least }) => chance >= least)?.words ?? "";
}

// Of a hundred: never 0 or 100, which would be certain.
export function ofHundred(chance) {
  if (chance > 0.99) return "more than 99";
  if (chance < 0.01) return "fewer than 1";
  return `about ${Math.round(100 * chance)}`;
}

export function percent(chance) {
  if (chance > 0.99) return "over 99 %";
  if (chance < 0.01) return "under 1 %";
  return `${Math.round(100 * chance)} %`;
}

// How much of a score a term of it is.
export function amount(value, sum) {
  if (value === 0) return "nothing";
  const words = AMOUNTS.find(([least]) => Math.abs(value) >= least * sum)?.[1];
  if (!words) return "hardly anything";
  return value < 0 ? `${words}, against it` : words;
}

export function digits(value, most = 4) {
  return Number(value.toPrecision(most)).toString();
}

// "3 s", "2 min 5 s".
export function duration(seconds) {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min${whole % 60 ? ` ${whole % 60} s` : ""}`;
}
