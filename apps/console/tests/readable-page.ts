const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
/** Text with its HTML entities as characters. */
export const unescaped = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name) => entities[name] ?? "");

/** Attributes of a control that decide what is sent, and how it looks. */
const kept = /\s(name|value|type|class|action|required|maxlength|selected|checked)(?:="([^"]*)")?/g;

const controlOf = (tag: string, attributes: string): string =>
  `{${[tag, ...[...attributes.matchAll(kept)].map(([, name, value]) => (value === undefined ? name : `${name}=${value}`))].join(" ")}}`;

/**
 * The main part of a page as text: a block is a line, a cell ends with a bar, a link is `[text](address)`, and a control of a form stands in braces.
 * Drawings are left out, because a table beneath each has its figures.
 */
export function readablePage(html: string): string {
  const [main = html] = /<main.*<\/main>/s.exec(html) ?? [];
  return unescaped(
    main
      .replaceAll(/<div aria-hidden="true">.*?<\/div>/gs, "")
      .replaceAll(/\s+/g, " ")
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
