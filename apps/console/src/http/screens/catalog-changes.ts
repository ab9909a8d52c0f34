import { type CatalogTemplate, furtherEntries } from "@platform/contracts/operator/catalog-file";
import { diffArrays } from "diff";

type Line = readonly ["+" | "-", string];

/**
 * Maximum number of changed lines that are shown for a whole catalog. Templates beyond it are listed without their
 * lines.
 */
export const linesShownMax = 1_000;

/** The parts of a template that are compared and rendered. */
type Parts = {
  readonly key: string;
  readonly channel: string;
  readonly locale: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly push?: CatalogTemplate["push"];
  readonly mail?: CatalogTemplate["mail"];
};

type Change<T> = {
  readonly template: T;
  readonly kind: "added" | "changed" | "removed";
  /** The changed lines; null if there are too many to show. */
  readonly lines: readonly Line[] | null;
};

export const nameOf = ({ key, channel, locale }: Parts): string => `${key} ${channel} ${locale}`;

/** Returns each existing part of a template, with its name. */
export function partsOf({ subject, text, html }: Parts): [name: string, source: string][] {
  return [["subject", subject], ["text", text], ...(html === undefined ? [] : [["html", html] as [string, string]])];
}

/** Returns the differences between two catalogs, template by template. */
export function catalogChanges<T extends Parts>(before: readonly T[], after: readonly Parts[]): Change<Parts>[] {
  const old = new Map(before.map((template) => [nameOf(template), template]));
  const fresh = new Map(after.map((template) => [nameOf(template), template]));
  const changes: Change<Parts>[] = [];
  let left = linesShownMax;
  const add = (template: Parts, kind: Change<Parts>["kind"], lines: readonly Line[] | null): void => {
    const shown = lines !== null && lines.length <= left ? lines : null;
    left -= shown?.length ?? left;
    changes.push({ template, kind, lines: shown });
  };
  const allOf = (sign: "+" | "-", template: Parts): Line[] => linesOf(template).map((line) => [sign, line]);
  for (const template of after) {
    const earlier = old.get(nameOf(template));
    if (earlier === undefined) {
      add(template, "added", allOf("+", template));
      continue;
    }
    const [was, is] = [linesOf(earlier), linesOf(template)];
    if (was.length === is.length && was.every((line, index) => line === is[index])) continue;
    add(template, "changed", left === 0 ? null : changedLines(was, is, left));
  }
  for (const template of before) if (!fresh.has(nameOf(template))) add(template, "removed", allOf("-", template));
  return changes;
}

function linesOf(template: Parts): string[] {
  const further = furtherLines(template);
  const variables = Object.entries(template.variables).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...partsOf(template).flatMap(([name, source]) => source.split("\n").map((line) => `${name}: ${line}`)),
    ...further,
    ...variables.map(([name, type]) => `variable ${name}: ${type}`),
  ];
}

/** Returns the additional fields of a push or an email as lines, by their names in `catalog.yaml`. */
function furtherLines(template: Parts): string[] {
  return Object.entries(furtherEntries(template)).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map(({ file, name: shown }) => `${name}: ${shown}: ${file}`);
    if (typeof value !== "object") return [`${name}: ${value}`];
    return Object.entries(value).map(([of, source]) => `${name} ${of}: ${source}`);
  });
}

/**
 * Returns the lines that are in only one of two texts, in order, by Myers' algorithm, whose cost grows with the number
 * of edits.
 * @param editsMax maximum number of edits
 * @returns null if there are more edits
 */
function changedLines(before: readonly string[], after: readonly string[], editsMax: number): Line[] | null {
  const changes = diffArrays([...before], [...after], { maxEditLength: editsMax });
  if (changes === undefined) return null;
  return changes.flatMap(({ added, removed, value }) => {
    if (!added && !removed) return [];
    return value.map((line): Line => [added ? "+" : "-", line]);
  });
}
