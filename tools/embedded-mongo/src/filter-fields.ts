import type { Doc } from "./values.ts";

/** Returns the top-level fields that a filter reads; null if it may read any field. */
export function fieldsOf(filter: Doc): ReadonlySet<string> | null {
  const fields = new Set<string>();
  for (const [key, condition] of Object.entries(filter)) {
    if (key === "$comment") continue;
    if (!key.startsWith("$")) fields.add(rootOf(key));
    else if (key === "$expr" || !Array.isArray(condition)) return null;
    else {
      for (const part of condition) {
        const inner = fieldsOf(part as Doc);
        if (inner === null) return null;
        for (const field of inner) fields.add(field);
      }
    }
  }
  return fields;
}

/** Returns the top-level field of a path. */
export const rootOf = (path: string): string => path.split(".", 1)[0] ?? path;
