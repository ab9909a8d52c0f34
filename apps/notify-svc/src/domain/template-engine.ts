import { Liquid } from "liquidjs";

/** Tags that templates may use: output and conditions. No includes, loops or assignments. */
const allowedTags = new Set(["if", "unless", "case", "comment", "raw"]);
/** Pure functions of one value. `raw` is missing on purpose, so that no value escapes HTML escaping. */
export const allowedFilters: ReadonlySet<string> = new Set([
  "abs", "append", "at_least", "at_most", "capitalize", "ceil", "date", "default", "divided_by", "downcase", "escape", "escape_once", "floor", "lstrip",
  "minus", "modulo", "newline_to_br", "plus", "prepend", "replace", "round", "rstrip", "strip", "strip_html", "strip_newlines", "times",
  "truncate", "truncatewords", "upcase", "url_decode", "url_encode",
]); // biome-ignore format: a list

/** Longest source of one part of a template. */
export const templateSourceMax = 256 * 1024;

/**
 * Stands for a line break that a filter inserted, until the value is written. It is a noncharacter, so no text needs it
 * (Unicode §23.7).
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

/** A value as it is written into HTML. Nothing that a filter returns bypasses it. */
const escapeHtml = (value: unknown): string =>
  textOf(value).replace(/[&<>"'\ufdd0]/g, (character) => htmlCharacters[character] ?? character);

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.map(textOf).join("") : String(value);

/**
 * Filters that output markup, for the HTML part. Values stay plain text through every filter and are escaped once, when
 * they are written: `escape` does nothing, `escape_once` replaces entities by their characters, and `newline_to_br`
 * inserts a mark that later becomes a tag.
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
    // Without templates on disk, a partial that slipped through would find an empty map.
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

/** Renders texts that are not HTML. */
export const plain = createEngine(false);
/** Renders the HTML part of emails: every value is escaped. */
export const html = createEngine(true);
