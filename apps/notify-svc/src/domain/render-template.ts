import type { Template as Parsed } from "liquidjs";
import type { MessageContent } from "./delivery.ts";
import { MailFieldInvalid, mailSources, readMailContent } from "./mail-fields.ts";
import { PushFieldInvalid, pushSources, readPushContent } from "./push-fields.ts";
import { lineText, payloadBytes, payloadBytesMax } from "./push-payloads.ts";
import type { Template, VariableType } from "./template.ts";
import { html, lineBreak, plain, templateSourceMax } from "./template-engine.ts";

/** Thrown when a catalog is applied that contains an unusable template. */
export class TemplateInvalid extends Error {}

/** Thrown if a rendered part is longer than its channel allows. */
export class RenderedTooLarge extends Error {}

/**
 * Maximum lengths of rendered parts, in UTF-16 units. They are far above any real message, and too short to do harm.
 */
const subjectMax = 1_000;
const textMax = 512 * 1024;
/**
 * Maximum size of a push's title and text together, which leaves space for its other fields; LINE accepts 5,000
 * characters.
 */
const pushBytesMax = 3_500;
const lineTextMax = 5_000;

type ParsedTemplate = {
  readonly subject: Parsed[];
  readonly text: Parsed[];
  readonly html: Parsed[] | null;
  /** Additional fields of pushes and emails, by the names of `pushSources` and `mailSources`. */
  readonly fields: readonly (readonly [name: string, parsed: Parsed[]])[];
};

/**
 * Validates a template of a catalog: it must parse, use only allowed tags and filters, output only variables that it
 * declares, and fit its channel with empty values.
 * @throws TemplateInvalid
 */
export function checkTemplate(template: Template): void {
  const { subject, text } = template;
  const parts = { subject, text, html: template.html, ...fieldSources(template) };
  for (const [name, source] of Object.entries(parts)) {
    if (source === null) continue;
    if (source.length > templateSourceMax) throw new TemplateInvalid(`${name}: longer than ${templateSourceMax}`);
    let used: string[];
    try {
      const engine = name === "html" ? html : plain;
      // Variables are compared with their paths, so that properties of values, such as `name.size`, cannot be read.
      used = engine.fullVariablesSync(engine.parse(source));
    } catch (error) {
      throw new TemplateInvalid(`${name}: ${(error as Error).message}`);
    }
    const undeclared = used.filter((variable) => !Object.hasOwn(template.variables, variable));
    if (undeclared.length > 0) throw new TemplateInvalid(`${name}: undeclared variable ${undeclared.join(", ")}`);
  }
  checkEmptyRendering(template);
}

/**
 * Renders a template with empty values. If this is too large already, the template is too large with any values. A
 * template without variables always renders to this text.
 */
function checkEmptyRendering(template: Template): void {
  const empty: Readonly<Record<VariableType, string | number>> = { string: "", integer: 0, number: 0 };
  const types = Object.entries(template.variables);
  try {
    renderTemplate(template, Object.fromEntries(types.map(([name, type]) => [name, empty[type]])));
  } catch (error) {
    const isRefusal =
      error instanceof RenderedTooLarge ||
      ((error instanceof PushFieldInvalid || error instanceof MailFieldInvalid) && types.length === 0);
    if (isRefusal) throw new TemplateInvalid((error as Error).message);
  }
}

/** Cache of parsed templates. Its size is limited, and the least recently used template is removed first. */
const parsedTemplates = new Map<string, ParsedTemplate>();
const parsedMax = 500;

function parse(template: Template): ParsedTemplate {
  const sources = Object.entries(fieldSources(template));
  const name = JSON.stringify([template.subject, template.text, template.html, sources]);
  const known = parsedTemplates.get(name);
  if (known !== undefined) return known;
  const parsed = {
    subject: plain.parse(template.subject),
    text: plain.parse(template.text),
    html: template.html === null ? null : html.parse(template.html),
    fields: sources.map(([field, source]) => [field, plain.parse(source)] as const),
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
 * @throws PushFieldInvalid, MailFieldInvalid
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
  const fields = renderFields(parsed, scope);
  const content = {
    subject: oneLine(String(plain.renderSync(parsed.subject, scope))),
    text: String(plain.renderSync(parsed.text, scope)),
    html: parsed.html === null ? null : String(html.renderSync(parsed.html, scope)),
    push: template.push === null ? null : readPushContent(template.channel, template.push, fields),
    ...(template.mail === null ? {} : { mail: readMailContent(template.mail, fields) }),
  };
  assertFits(template, content);
  return content;
}

/** The Liquid texts of a template in addition to its subject and bodies. */
const fieldSources = ({ push, mail }: Template): Record<string, string> => ({
  ...pushSources(push),
  ...mailSources(mail),
});

function renderFields({ fields }: ParsedTemplate, scope: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(fields.map(([name, parsed]) => [name, String(plain.renderSync(parsed, scope))]));
}

function assertFits({ channel }: Template, content: MessageContent): void {
  if (channel === "email") {
    if (content.subject.length > subjectMax) throw new RenderedTooLarge(`the subject is longer than ${subjectMax}`);
    if (content.text.length > textMax || (content.html ?? "").length > textMax) {
      throw new RenderedTooLarge(`the body is longer than ${textMax} characters`);
    }
  } else if (channel === "line") {
    if (lineText(content).length > lineTextMax) {
      throw new RenderedTooLarge(`the line message is longer than ${lineTextMax} characters`);
    }
  } else if (Buffer.byteLength(JSON.stringify([content.subject, content.text])) > pushBytesMax) {
    throw new RenderedTooLarge(
      `title and text of the ${channel} message have more than ${pushBytesMax} bytes together`,
    );
  } else {
    const bytes = payloadBytes(channel, content) ?? 0;
    const bytesMax = payloadBytesMax[channel];
    if (bytes > bytesMax) {
      throw new RenderedTooLarge(`the ${channel} message has ${bytes} bytes of at most ${bytesMax}`);
    }
  }
}

/** Replaces line breaks and control characters, so that the text is safe in a header. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into a header
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, " ").trim();
}
