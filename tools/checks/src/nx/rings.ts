/** The rings of `make test`, in the order they run. All but `check` are projects of vitest. */
export const dayRings = ["check", "unit", "service", "crawl", "acceptance", "alone", "faults"] as const;

/** The rings that `make test-all` adds. */
const nightRings = ["night"] as const;

/** The rings of `make test-all`, in the order they run. */
export const allRings = [...dayRings, ...nightRings];

/** Name of a ring of tests. */
export type Ring = (typeof allRings)[number];

/**
 * Selects the rings of a run, in their order.
 * @param named comma-separated names, as in RINGS; if it is empty, `otherwise` is used
 * @throws Error that lists the rings if a name is unknown
 */
export function chooseRings(named: string | undefined, otherwise: readonly Ring[]): readonly Ring[] {
  const names = (named ?? "").split(",").flatMap((name) => name.trim() || []);
  const unknown = names.filter((name) => !(allRings as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`RINGS takes ${allRings.join(", ")}, and not ${unknown.join(", ")}`);
  return names.length === 0 ? otherwise : allRings.filter((ring) => names.includes(ring));
}
