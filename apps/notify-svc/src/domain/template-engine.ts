import { Liquid } from "liquidjs";

/**
 * Tags that templates may use: only conditions, comments and raw blocks. Includes, loops and assignments are not
 * allowed.
 */
const allowedTags = new Set(["if", "unless", "case", "comment", "raw"]);
/**
 * Filters that templates may use. Each is a pure function of one value. `raw` is excluded on purpose, because it
 * would bypass HTML escaping.
 */
export const allowedFilters: ReadonlySet<string> = new Set([
  "abs", "append", "at_least", "at_most", "capitalize", "ceil", "date", "default", "divided_by", "downcase", "escape", "escape_once", "floor", "lstrip",
  "minus", "modulo", "newline_to_br", "plus", "prepend", "replace", "round", "rstrip", "strip", "strip_html", "strip_newlines", "times",
  "truncate", "truncatewords", "upcase", "url_decode", "url_encode",
]); // biome-ignore format: a list

/** Maximum length of the source of one part of a template. */
export const templateSourceMax = 256 * 1024;

/**
 * Represents a line break that a filter inserted, until the value is written. It is a Unicode noncharacter, so no
 * text needs it (Unicode §23.7).
 */
export const lineBreak = "\ufdd0";
const htmlCharacters: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
  [lineBreak]: "<br />",
};
const unescaped: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(htmlCharacters).map(([character, entity]) => [entity, character]),
);

/** Escapes a value when it is written into HTML. No filter can bypass this. */
const escapeHtml = (value: unknown): string =>
  textOf(value).replace(/[&<>"'\ufdd0]/g, (character) => htmlCharacters[character] ?? character);

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.map(textOf).join("") : String(value);

/**
 * Filters that output markup, for the HTML part. Values stay plain text through every filter and are escaped once,
 * when they are written. Therefore `escape` does nothing, `escape_once` replaces entities by their characters, and
 * `newline_to_br` inserts a mark that later becomes a tag.
 */
const htmlFilters = {
  escape: textOf,
  escape_once: (value: unknown) =>
    textOf(value).replace(/&(?:amp|lt|gt|#34|#39);/g, (entity) => unescaped[entity] ?? entity),
  newline_to_br: (value: unknown) => textOf(value).replace(/\r?\n/g, `${lineBreak}\n`),
} as const;

function createEngine(escapesHtml: boolean): Liquid {
  const engine = new Liquid({
    ...(escapesHtml ? { outputEscape: escapeHtml } : {}),
    // Templates are not read from disk. Even if a partial were not rejected, it would find no template here.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: true,
    dynamicPartials: false,
    parseLimit: templateSourceMax,
    renderLimit: 500,
    memoryLimit: 8 * 1024 * 1024,
  });
  for (const name of Object.keys(engine.tags)) if (!allowedTags.has(name)) delete engine.tags[name];
  if (escapesHtml) for (const [name, filter] of Object.entries(htmlFilters)) engine.registerFilter(name, filter);
  for (const name of Object.keys(engine.filters)) if (!allowedFilters.has(name)) delete engine.filters[name];
  return engine;
}

/** Engine for texts that are not HTML. */
export const plain = createEngine(false);
/** Engine for the HTML part of emails, which escapes every value. */
export const html = createEngine(true);
