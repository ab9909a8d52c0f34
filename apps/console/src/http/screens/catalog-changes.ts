/** The parts of a template that are compared and rendered. */
type Parts = {
  readonly key: string;
  readonly channel: string;
  readonly locale: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
};

type Change<T> = {
  readonly template: T;
  readonly kind: "added" | "changed" | "removed";
  readonly lines: readonly (readonly ["+" | "-", string])[];
};

export const nameOf = ({ key, channel, locale }: Parts): string => `${key} ${channel} ${locale}`;

/** Each part of a template that there is, with its name. */
export function partsOf({ subject, text, html }: Parts): [name: string, source: string][] {
  return [["subject", subject], ["text", text], ...(html === undefined ? [] : [["html", html] as [string, string]])];
}

/** What replacing one catalog by another changes, template by template. */
export function catalogChanges<T extends Parts>(before: readonly T[], after: readonly Parts[]): Change<Parts>[] {
  const old = new Map(before.map((template) => [nameOf(template), template]));
  const fresh = new Map(after.map((template) => [nameOf(template), template]));
  const changes: Change<Parts>[] = [];
  for (const template of after) {
    const earlier = old.get(nameOf(template));
    const lines = changedLines(earlier === undefined ? [] : linesOf(earlier), linesOf(template));
    if (lines.length > 0) changes.push({ template, kind: earlier === undefined ? "added" : "changed", lines });
  }
  for (const template of before) {
    if (!fresh.has(nameOf(template)))
      changes.push({ template, kind: "removed", lines: changedLines(linesOf(template), []) });
  }
  return changes;
}

function linesOf(template: Parts): string[] {
  const variables = Object.entries(template.variables).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...partsOf(template).flatMap(([name, source]) => source.split("\n").map((line) => `${name}: ${line}`)),
    ...variables.map(([name, type]) => `variable ${name}: ${type}`),
  ];
}

/** The lines that only one of two texts has, in order, by their longest common subsequence. */
function changedLines(before: readonly string[], after: readonly string[]): ["+" | "-", string][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [row, below] = [lengths[i] as Uint32Array, lengths[i + 1] as Uint32Array];
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  const changes: ["+" | "-", string][] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      changes.push(["-", before[i] ?? ""]);
      i += 1;
    } else {
      changes.push(["+", after[j] ?? ""]);
      j += 1;
    }
  }
  return changes;
}
