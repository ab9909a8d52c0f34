import { Liquid, type Template as Parsed } from "liquidjs";
import type { MessageContent } from "./delivery.ts";
import type { Template } from "./template.ts";

/** Thrown for a template that may not be used, when a catalog is applied. */
export class TemplateInvalid extends Error {}

/** Thrown when a rendered part is longer than its channel takes. */
export class RenderedTooLarge extends Error {}

/** Tags that templates may use: output and conditions. No includes, loops or assignments. */
const allowedTags = new Set(["if", "unless", "case", "comment", "raw"]);
/** Pure functions of one value. `raw` is missing on purpose, so that no value escapes HTML escaping. */
export const allowedFilters: ReadonlySet<string> = new Set([
  "abs", "append", "at_least", "at_most", "capitalize", "ceil", "date", "default", "divided_by", "downcase", "escape", "escape_once", "floor", "lstrip",
  "minus", "modulo", "newline_to_br", "plus", "prepend", "replace", "round", "rstrip", "strip", "strip_html", "strip_newlines", "times",
  "truncate", "truncatewords", "upcase", "url_decode", "url_encode",
]); // biome-ignore format: a list

/** Longest rendered parts, in UTF-16 units: far above any real message, far below harm. */
const subjectMax = 1_000;
const textMax = 512 * 1024;
/** A push must fit the 4,096 bytes of FCM, APNs and Web Push with its envelope; LINE takes 5,000 characters. */
const pushBytesMax = 3_500;
const lineTextMax = 5_000;

/** Longest source of one part of a template. */
export const templateSourceMax = 256 * 1024;

/** Stands for a line break that a filter has made, until the value is written. A noncharacter, so no text needs it (Unicode §23.7). */
const lineBreak = "\ufdd0";
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

/** A value as it is written into HTML. Nothing that a filter returns gets around it. */
const escapeHtml = (value: unknown): string =>
  textOf(value).replace(/[&<>"'\ufdd0]/g, (character) => htmlCharacters[character] ?? character);

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.map(textOf).join("") : String(value);

/**
 * Filters that write markup, for the HTML part. Values stay plain text through every filter and are escaped once, when they are written: `escape` has
 * nothing left to do, `escape_once` reads entities as the characters they stand for, and `newline_to_br` leaves a mark that becomes a tag.
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

const plain = createEngine(false);
const html = createEngine(true);

type ParsedTemplate = { readonly subject: Parsed[]; readonly text: Parsed[]; readonly html: Parsed[] | null };

/**
 * Validates a template of a catalog: it must parse, use only allowed tags and filters, and show only variables it declares.
 * @throws TemplateInvalid
 */
export function checkTemplate(template: Template): void {
  const parts = { subject: template.subject, text: template.text, html: template.html };
  for (const [name, source] of Object.entries(parts)) {
    if (source === null) continue;
    if (source.length > templateSourceMax) throw new TemplateInvalid(`${name}: longer than ${templateSourceMax}`);
    let used: string[];
    try {
      const engine = name === "html" ? html : plain;
      // Compared with their paths, so that properties of values, such as `name.size`, cannot be read.
      used = engine.fullVariablesSync(engine.parse(source));
    } catch (error) {
      throw new TemplateInvalid(`${name}: ${(error as Error).message}`);
    }
    const undeclared = used.filter((variable) => !Object.hasOwn(template.variables, variable));
    if (undeclared.length > 0) throw new TemplateInvalid(`${name}: undeclared variable ${undeclared.join(", ")}`);
  }
}

/** Cache of parsed templates, bounded, least recently used first out. */
const parsedTemplates = new Map<string, ParsedTemplate>();
const parsedMax = 500;

function parse(template: Template): ParsedTemplate {
  const name = JSON.stringify([template.subject, template.text, template.html]);
  const known = parsedTemplates.get(name);
  if (known !== undefined) return known;
  const parsed = {
    subject: plain.parse(template.subject),
    text: plain.parse(template.text),
    html: template.html === null ? null : html.parse(template.html),
  };
  parsedTemplates.set(name, parsed);
  const [oldest] = parsedTemplates.keys();
  if (parsedTemplates.size > parsedMax && oldest !== undefined) parsedTemplates.delete(oldest);
  return parsed;
}

/**
 * Renders a template. Values are plain text: they are not parsed as Liquid, they are HTML-escaped in the HTML part, and their line breaks and control
 * characters cannot reach the subject, which becomes a header.
 * @param variables already validated against the template's declarations
 * @throws RenderedTooLarge
 */
export function renderTemplate(
  template: Template,
  variables: Readonly<Record<string, string | number>>,
): MessageContent {
  const parsed = parse(template);
  const scope = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(variables)) {
    scope[name] = typeof value === "string" ? value.replaceAll(lineBreak, "\ufffd") : value;
  }
  const content = {
    subject: oneLine(String(plain.renderSync(parsed.subject, scope))),
    text: String(plain.renderSync(parsed.text, scope)),
    html: parsed.html === null ? null : String(html.renderSync(parsed.html, scope)),
  };
  assertFits(template, content);
  return content;
}

function assertFits({ channel }: Template, content: MessageContent): void {
  if (channel === "email") {
    if (content.subject.length > subjectMax) throw new RenderedTooLarge(`the subject is longer than ${subjectMax}`);
    if (content.text.length > textMax || (content.html ?? "").length > textMax) {
      throw new RenderedTooLarge(`the body is longer than ${textMax} characters`);
    }
  } else if (channel === "line") {
    if (lineText(content).length > lineTextMax) throw new RenderedTooLarge(`longer than ${lineTextMax} characters`);
  } else if (Buffer.byteLength(JSON.stringify([content.subject, content.text])) > pushBytesMax) {
    throw new RenderedTooLarge(`title and body are longer than ${pushBytesMax} bytes together`);
  }
}

/** A LINE message has no title: it is the first line. */
export function lineText(content: MessageContent): string {
  return content.subject === "" ? content.text : `${content.subject}\n${content.text}`;
}

/** Text without line breaks and control characters, safe in a header. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into a header
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, " ").trim();
}
