import { CommandError } from "./errors.ts";
import { compileElement, compileFilter, compileValue, isOperators } from "./matcher.ts";
import { bsonType, type Doc, isDoc, own, setOwn } from "./values.ts";

/** The conditions to which the positional parts of a path refer: the filter (for `$`) and the array filters (for `$[name]`). */
export type Positions = { filter: Doc; arrayFilters: Map<string, (element: unknown) => boolean> };

/** Compiles array filters, by the identifier with which each starts its paths. */
export function compileArrayFilters(filters: unknown): Positions["arrayFilters"] {
  const compiled = new Map<string, (element: unknown) => boolean>();
  for (const filter of Array.isArray(filters) ? (filters as Doc[]) : []) {
    const paths = Object.keys(filter).flatMap((key) =>
      key.startsWith("$") && Array.isArray(filter[key]) ? (filter[key] as Doc[]).flatMap(Object.keys) : [key],
    );
    const names = new Set(paths.map((path) => path.split(".")[0] ?? ""));
    const [name = ""] = names;
    if (names.size !== 1 || !/^[a-z][a-zA-Z0-9]*$/.test(name)) {
      throw new CommandError(
        9,
        "Each array filter needs exactly one top-level field name that begins with a lowercase letter",
      );
    }
    if (compiled.has(name))
      throw new CommandError(9, `Found multiple array filters with the same top-level field name ${name}`);
    const match = compileFilter(filter);
    compiled.set(name, (element) => match({ [name]: element }));
  }
  return compiled;
}

/** Replaces `$`, `$[]` and `$[name]` by the array indexes that they mean in this document. */
export function resolvePath(doc: Doc, path: string, positions: Positions): string[][] {
  let resolved: string[][] = [[]];
  for (const part of path.split(".")) {
    if (part === "") throw new CommandError(2, `The update path '${path}' contains an empty field name`);
    if (part === "$")
      resolved = resolved.map((parts) => [...parts, String(matchedIndex(doc, parts, positions.filter, path))]);
    else if (part.startsWith("$[")) {
      const name = part.slice(2, -1);
      const test = name === "" ? () => true : positions.arrayFilters.get(name);
      if (test === undefined)
        throw new CommandError(2, `No array filter found for identifier '${name}' in path '${path}'`);
      resolved = resolved.flatMap((parts) => {
        const array = valueAt(doc, parts);
        if (!Array.isArray(array)) {
          throw new CommandError(
            2,
            `The path '${parts.join(".")}' must exist in the document in order to apply array updates`,
          );
        }
        return array.flatMap((element, index) => (test(element) ? [[...parts, String(index)]] : []));
      });
    } else if (part.startsWith("$") && resolved[0]?.length === 0) {
      throw new CommandError(52, `The dollar ($) prefixed field '${part}' in '${path}' is not allowed here`);
    } else resolved = resolved.map((parts) => [...parts, part]);
  }
  return resolved;
}

function matchedIndex(doc: Doc, parts: string[], filter: Doc, path: string): number {
  const array = valueAt(doc, parts);
  const test = elementTest(filter, parts.join("."));
  const index = Array.isArray(array) && test !== undefined ? array.findIndex(test) : -1;
  if (index < 0) {
    throw new CommandError(2, `The positional operator did not find the match needed from the query (path '${path}')`);
  }
  return index;
}

/** Returns the condition of the filter on one element of the array at this path. */
function elementTest(filter: Doc, path: string): ((element: unknown) => boolean) | undefined {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === "$and" && Array.isArray(condition)) {
      const tests = condition.map((part) => elementTest(part as Doc, path)).filter((test) => test !== undefined);
      if (tests[0] !== undefined) return tests[0];
    }
    if (key.startsWith(`${path}.`)) return compileElement({ [key.slice(path.length + 1)]: condition });
    if (key !== path) continue;
    if (isOperators(condition) && condition.$elemMatch !== undefined) return compileElement(condition.$elemMatch);
    return compileValue(isOperators(condition) ? condition : { $eq: condition });
  }
  return undefined;
}

export function valueAt(doc: Doc, parts: string[]): unknown {
  let value: unknown = doc;
  for (const part of parts) {
    if (!isDoc(value) && !Array.isArray(value)) return undefined;
    value = own(value, part);
  }
  return value;
}

/** Sets a value, creating the documents on the path; throws PathNotViable if a value on the path is not a document. */
export function setAt(doc: Doc, parts: string[], value: unknown): void {
  let target: Doc | unknown[] = doc;
  for (const [depth, part] of parts.entries()) {
    if (Array.isArray(target)) {
      if (!/^\d+$/.test(part)) throw notViable(part, parts[depth - 1], target);
      if (Number(part) > target.length + 1_500_000)
        throw new CommandError(2, `Array index ${part} is too far past the end`);
      while (target.length < Number(part)) target.push(null);
    }
    if (depth === parts.length - 1) {
      setOwn(target, part, value);
      return;
    }
    let next = own(target, part);
    if (next === undefined) {
      next = {};
      setOwn(target, part, next);
    }
    if (!isDoc(next) && !Array.isArray(next)) throw notViable(parts[depth + 1] ?? "", part, next);
    target = next;
  }
}

/** Removes a field; an element of an array becomes null, so that the others keep their positions. */
export function unsetAt(doc: Doc, parts: string[]): void {
  const parent = valueAt(doc, parts.slice(0, -1));
  const last = parts.at(-1) ?? "";
  if (Array.isArray(parent)) {
    if (/^\d+$/.test(last) && Number(last) < parent.length) parent[Number(last)] = null;
  } else if (isDoc(parent)) delete parent[last];
}

function notViable(field: string, parent: string | undefined, value: unknown): CommandError {
  const shown = bsonType(value) ?? (Array.isArray(value) ? "array" : typeof value);
  return new CommandError(28, `Cannot create field '${field}' in element {${parent}: <${shown}>}`);
}
