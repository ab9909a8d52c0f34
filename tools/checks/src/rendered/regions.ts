/** Texts of the comment lines before and after rendered lines, whatever the comment syntax of the file. */
const beginning = "rendered from libs/contracts/src/services.ts: ";
const end = "end of rendered lines";

/** Renders the lines of a region, given its current lines. */
export type Region = (present: readonly string[]) => readonly string[];

/**
 * Replaces the lines of each region of a file. A region lies between two comment lines, of which the first ends with
 * the region's name: `# rendered from libs/contracts/src/services.ts: addresses` and `# end of rendered lines`.
 * @param regions the regions that the file must have, by name
 * @throws if the file lacks a region, has an unknown one, or one without an end
 */
export function renderRegions(path: string, text: string, regions: Readonly<Record<string, Region>>): string {
  const rendered: string[] = [];
  const found: string[] = [];
  let open: { readonly name: string; readonly present: string[] } | null = null;
  for (const line of text.split("\n")) {
    if (open === null) {
      rendered.push(line);
      const at = line.indexOf(beginning);
      if (at < 0) continue;
      const [name = ""] = line.slice(at + beginning.length).split(" ");
      found.push(name);
      open = { name, present: [] };
    } else if (line.includes(end)) {
      const region = regions[open.name];
      if (region === undefined) throw new Error(`${path} has a region ${open.name}, which nothing renders`);
      rendered.push(...region(open.present), line);
      open = null;
    } else open.present.push(line);
  }
  if (open !== null) throw new Error(`${path}: the region ${open.name} has no line "${end}"`);
  const missing = Object.keys(regions).filter((name) => !found.includes(name));
  if (missing.length > 0) throw new Error(`${path} has no region ${missing.join(", ")}`);
  return rendered.join("\n");
}

/** Returns the lines of a file outside of its regions. */
export function withoutRegions(text: string): string {
  const names = text
    .split("\n")
    .flatMap((line) =>
      line.includes(beginning) ? line.slice(line.indexOf(beginning) + beginning.length).split(" ", 1) : [],
    );
  return renderRegions("", text, Object.fromEntries(names.map((name) => [name, () => []])));
}
