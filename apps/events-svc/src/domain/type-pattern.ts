/** Maximum number of patterns of a subscription or a reader. */
export const typePatternsMax = 50;
const lengthMax = 120;

const pattern = /^(\*|[a-z][a-z0-9_.-]*\.\*|[a-z][a-z0-9_.-]+)$/;

/** Returns whether the text is `*`, a prefix that ends with `.*`, or a type. */
export function isTypePattern(text: string): boolean {
  return text.length <= lengthMax && pattern.test(text);
}

/** Returns a sentence that describes the problem in a list of patterns, or null. */
export function typePatternsProblem(patterns: readonly string[]): string | null {
  if (patterns.length > typePatternsMax) return `At most ${typePatternsMax} types are allowed.`;
  const wrong = patterns.find((text) => !isTypePattern(text));
  if (wrong === undefined) return null;
  if (wrong.length > lengthMax) return `A type or pattern has at most ${lengthMax} characters.`;
  return `"${wrong}" is no type: give *, a prefix such as order.*, or a type such as order.placed.`;
}

/** Returns whether a type matches. */
export type TypeMatcher = (type: string) => boolean;

/**
 * Compiles patterns, so that matching many patterns costs no more than matching one. `*` matches every type, and
 * `order.*` matches every type that begins with `order.`.
 */
export function compileTypes(patterns: readonly string[]): TypeMatcher {
  if (patterns.includes("*")) return () => true;
  const known = new Set(patterns);
  return (type) => {
    if (known.has(type)) return true;
    for (let dot = type.indexOf("."); dot !== -1; dot = type.indexOf(".", dot + 1)) {
      if (known.has(`${type.slice(0, dot)}.*`)) return true;
    }
    return false;
  };
}
