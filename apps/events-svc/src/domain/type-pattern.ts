/** The most patterns a subscription may have. */
export const typePatternsMax = 50;

const pattern = /^(\*|[a-z][a-z0-9_.-]*\.\*|[a-z][a-z0-9_.-]+)$/;

/** Is it `*`, a prefix that ends with `.*`, or a type? */
export function isTypePattern(text: string): boolean {
  return text.length <= 120 && pattern.test(text);
}

/** Does a type match one of the patterns? `*` matches every type, `order.*` every type that begins with `order.`. */
export function matchesType(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (given) => given === "*" || given === type || (given.endsWith(".*") && type.startsWith(given.slice(0, -1))),
  );
}
