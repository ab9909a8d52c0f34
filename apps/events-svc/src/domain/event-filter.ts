import { type ASTNode, Environment } from "@marcbachmann/cel-js";

/** The parts of an event that a filter can read. */
export type FilteredEvent = {
  readonly type: string;
  readonly stream_id: string | null;
  readonly schema_version: number;
  readonly data: unknown;
};

export type EventFilter = (event: FilteredEvent) => boolean;

/** Maximum length of an expression, in characters. */
export const filterMax = 1_000;

/**
 * Functions that a filter may call. Functions that evaluate an expression for every element of a list (`all`, `map`,
 * …) are excluded: if they are nested, their running time is not bounded by the size of the event. `matches` is
 * excluded as well, because its pattern can take exponential time.
 */
const functions: ReadonlySet<string> = new Set([
  "has",
  "size",
  "string",
  "int",
  "double",
  "bool",
  "startsWith",
  "endsWith",
  "contains",
]);

const environment = new Environment({ homogeneousAggregateLiterals: false, limits: { maxAstNodes: 300, maxDepth: 30 } })
  .registerVariable("data", "map")
  .registerVariable("event", "map");

/**
 * Returns why an expression cannot be a filter, or null if it can. The language is CEL (https://cel.dev) without
 * functions whose running time is not bounded.
 */
export function filterProblem(expression: string): string | null {
  if ([...expression].length > filterMax) return `A filter has at most ${filterMax} characters.`;
  try {
    const parsed = environment.parse(expression);
    const refused = refusedFunction(parsed.ast);
    if (refused !== null) return `A filter cannot call ${refused}. It may call ${[...functions].join(", ")}.`;
    const { valid, type, error } = parsed.check();
    if (!valid) return `The filter is not valid CEL: ${firstLine(error)}`;
    return type === "bool" || type === "dyn" ? null : `A filter says true or false; this one is a ${type}.`;
  } catch (error) {
    return `The filter is not valid CEL: ${firstLine(error)}`;
  }
}

/** Compiles a filter that was checked when it was set. An event on which it cannot be evaluated does not match. */
export function compileFilter(expression: string): EventFilter {
  const evaluate = environment.parse(expression);
  return ({ data, ...event }) => {
    try {
      return evaluate({ data, event }) === true;
    } catch {
      return false;
    }
  };
}

function refusedFunction(node: unknown): string | null {
  if (Array.isArray(node)) return node.map(refusedFunction).find((name) => name !== null) ?? null;
  if (typeof node !== "object" || node === null || !("op" in node)) return null;
  const { op, args } = node as ASTNode;
  if (op === "call" || op === "rcall") {
    const [name] = args as readonly unknown[];
    if (!functions.has(String(name))) return String(name);
  }
  return refusedFunction(args);
}

/** The first line of an error's message. The library shows the position of the error in further lines. */
function firstLine(error: unknown): string {
  return String((error as Error).message).split("\n", 1)[0] ?? "";
}
