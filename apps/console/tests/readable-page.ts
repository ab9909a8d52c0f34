const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
/** Returns the text with its HTML entities replaced by characters. */
export const unescaped = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name) => entities[name] ?? "");

/** Matches attributes of a control that determine what is sent and how it looks. */
const kept = /\s(name|value|type|class|action|required|maxlength|selected|checked)(?:="([^"]*)")?/g;

/** Meanings of the kit's classes. Classes without a meaning are omitted. */
const meanings: Readonly<Record<string, string>> = { act: "act", filters: "filters", "btn-danger": "danger" };

const controlOf = (tag: string, attributes: string): string =>
  `{${[tag, ...[...attributes.matchAll(kept)].flatMap(([, name = "", value]) => (name === "class" ? meaningOf(value ?? "") : value === undefined ? name : `${name}=${value}`))].join(" ")}}`;

function meaningOf(classes: string): string[] {
  const meant = classes.split(" ").flatMap((each) => meanings[each] ?? []);
  return meant.length === 0 ? [] : [`class=${meant.join(" ")}`];
}

/**
 * Returns the main part of a page as text: a block is a line, a cell ends with a bar, a link is `[text](address)`, and
 * a control of a form is in braces. Drawings are omitted, because the table below each one contains its numbers.
 */
export function readablePage(html: string): string {
  const [main = html] = /<main.*<\/main>/s.exec(html) ?? [];
  return unescaped(
    main
      .replaceAll(/<div\b[^>]* aria-hidden="true">.*?<\/div>/gs, "")
      .replaceAll(/\s+/g, " ")
      // The exact time is used, because the distance from now depends on the day of the run.
      .replaceAll(/<time datetime="[^"]*" title="([^"]*)">.*?<\/time>/g, "$1")
      .replaceAll(/<svg\b.*?<\/svg>/g, "")
      .replaceAll(/<a\s[^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/g, "[$2]($1)")
      .replaceAll(/<(input|select|option|textarea|button|form)\b((?:"[^"]*"|[^>])*)>/g, (_, tag, attributes) =>
        tag === "input" || tag === "select" || tag === "form"
          ? `\n${controlOf(tag, attributes)} `
          : `${controlOf(tag, attributes)} `,
      )
      .replaceAll(/<(h\d|p|li|tr|dt|caption|section|summary|label|figcaption|div|ol|ul|dl|table)\b[^>]*>/g, "\n")
      .replaceAll(/<\/(td|th|dt)>/g, " | ")
      .replaceAll(/<[^>]*>/g, ""),
  )
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}
