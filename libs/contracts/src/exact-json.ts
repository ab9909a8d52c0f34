/**
 * Access of JSON to source text (ECMAScript proposal "JSON.parse source text access"), which TypeScript's library does
 * not declare yet.
 */
type SourceTextJson = {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};
const sourceTextJson = JSON as unknown as SourceTextJson;

/**
 * Parses JSON so that JSON.stringify writes every number back with all its digits. If JavaScript would write a number
 * differently, its source text is kept (`JSON.rawJSON`). This takes several times as long as JSON.parse.
 */
export function parseExactly(text: string): unknown {
  return sourceTextJson.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? sourceTextJson.rawJSON(source)
      : value,
  );
}

/**
 * Returns the paths of the numbers that a double would change, in a value read by `parseExactly`. A path consists of
 * names and indexes, from the root.
 */
export function changedNumbers(value: unknown): (string | number)[][] {
  const found: (string | number)[][] = [];
  const look = (inside: unknown, place: readonly (string | number)[]): void => {
    if (typeof inside !== "object" || inside === null) return;
    if (sourceTextJson.isRawJSON(inside)) {
      if (!isHeldByDouble(inside.rawJSON)) found.push([...place]);
    } else if (Array.isArray(inside)) {
      for (const [index, item] of inside.entries()) look(item, [...place, index]);
    } else {
      for (const [key, item] of Object.entries(inside)) look(item, [...place, key]);
    }
  };
  look(value, []);
  return found;
}

/**
 * Copies a value read by `parseExactly`. In the copy, each number that a double would change is its source text, and
 * every other number is a JavaScript number. Returns null if no number would be changed.
 */
export function withSourceTexts(value: unknown): unknown {
  let isChanged = false;
  const copy = (inside: unknown): unknown => {
    if (typeof inside !== "object" || inside === null) return inside;
    if (sourceTextJson.isRawJSON(inside)) {
      if (isHeldByDouble(inside.rawJSON)) return Number(inside.rawJSON);
      isChanged = true;
      return inside.rawJSON;
    }
    if (Array.isArray(inside)) return inside.map(copy);
    return Object.fromEntries(Object.entries(inside).map(([key, item]) => [key, copy(item)]));
  };
  const copied = copy(value);
  return isChanged ? copied : null;
}

/** Returns whether JavaScript keeps every digit of a number's source text. */
export function isHeldByDouble(source: string): boolean {
  const sent = decimalOf(source);
  const written = decimalOf(String(Number(source)));
  return sent !== null && written !== null && sent.digits === written.digits && sent.exponent === written.exponent;
}

const numberPattern = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Splits a number into its significant digits and the power of ten of the last digit. Returns null for text that is not
 * a JSON number, such as Infinity.
 */
function decimalOf(source: string): { digits: string; exponent: number } | null {
  const parts = numberPattern.exec(source);
  if (parts === null) return null;
  const [, whole = "", fraction = "", exponent = "0"] = parts;
  const all = whole + fraction;
  let from = 0;
  let to = all.length;
  // A loop is used because a regular expression would take quadratic time for trailing zeros.
  while (from < to && all[from] === "0") from += 1;
  while (to > from && all[to - 1] === "0") to -= 1;
  if (from === to) return { digits: "0", exponent: 0 };
  return { digits: all.slice(from, to), exponent: Number(exponent) - fraction.length + (all.length - to) };
}
