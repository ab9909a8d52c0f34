import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SitePage } from "./site-pages.ts";

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
};
type Body = {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { value: unknown }>>;
};
type Parameter = {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
};
type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Body>> };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
};
type Document = {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

const titles: Readonly<Record<string, string>> = {
  edge: "Health and validation",
  identity: "Identity",
  files: "Files",
  notify: "Notifications",
  events: "Audits, events and schedules",
  ads: "Advertising",
  webhooks: "Webhooks",
};

/** Creates the pages of the API's operations: one for each tag of the OpenAPI document, including the platform's own calls, and an index. */
export function apiPages(root: string): SitePage[] {
  const document = JSON.parse(readFileSync(join(root, "apps/gateway/openapi.json"), "utf8")) as Document;
  const operations = [
    ...Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        call: `${method.toUpperCase()} /api/v1${path}`,
        operation,
      })),
    ),
    ...Object.values(document.webhooks).flatMap((methods) =>
      Object.entries(methods).map(([method, operation]) => ({
        call: `${method.toUpperCase()} your endpoint`,
        operation,
      })),
    ),
  ];
  const tags = document.tags.map(({ name, description }) => ({
    name,
    description,
    title: titles[name] ?? name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const index = tags.map(
    ({ name, title, description, operations: own }) =>
      `## [${title}](./${name}.md)\n\n${description}\n\n| operation | call |\n|---|---|\n${own
        .map(({ call, operation }) => `| [${operation.summary}](./${name}.md#${anchorOf(operation)}) | \`${call}\` |`)
        .join("\n")}\n`,
  );
  return [
    generated("api/index.md", "API", `${intro}\n\n${index.join("\n")}`),
    ...tags.map(({ name, title, description, operations: own }) =>
      generated(
        `api/${name}.md`,
        title,
        [description, ...own.map(({ call, operation }) => section(call, operation, document))].join("\n\n"),
      ),
    ),
  ];
}

const intro = `Every operation of the platform, from the OpenAPI document at \`/api/v1/openapi.json\`. To try them in the browser, open the
<a href="/docs/reference/" target="_self">interactive reference</a>. A success is \`{"data": …, "meta": …}\`; a failure is the envelope of the [error reference](../errors.md).`;

function generated(path: string, title: string, body: string): SitePage {
  return { path, source: null, title, text: `# ${title}\n\n${body}\n` };
}

const anchorOf = ({ operationId }: Operation): string => operationId.replace(".", "-").toLowerCase();

function section(call: string, operation: Operation, document: Document): string {
  const resolve = <Value extends { readonly $ref?: string }>(value: Value): Value => {
    if (value.$ref === undefined) return value;
    const [, , group = "", name = ""] = value.$ref.split("/");
    return document.components[group]?.[name] as Value;
  };
  const scopes = (operation.security ?? []).flatMap((scheme) => Object.values(scheme).flat());
  const parameters = (operation.parameters ?? []).map(resolve);
  const parts = [
    `## ${operation.summary} {#${anchorOf(operation)}}`,
    `\`${call}\``,
    `Operation \`${operation.operationId}\`${scopes.length > 0 ? `, scope \`${scopes.join("`, `")}\`` : ""}.`,
    escaped(operation.description ?? ""),
  ];
  if (parameters.length > 0) {
    const rows = parameters.map((one) =>
      row(one.name, `${one.in}${one.required === true ? ", required" : ""}`, one.description),
    );
    parts.push(`| parameter | in | meaning |\n|---|---|---|\n${rows.join("\n")}`);
  }
  for (const [type, body] of Object.entries(operation.requestBody?.content ?? {})) {
    const schema = resolve(body.schema ?? {});
    const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const own = resolve(field);
      return row(
        name,
        `${typeOf(own)}${schema.required?.includes(name) === true ? ", required" : ""}`,
        own.description,
      );
    });
    parts.push(`Body \`${type}\`:`);
    if (fields.length > 0) parts.push(`| field | type | meaning |\n|---|---|---|\n${fields.join("\n")}`);
    const example = body.example ?? Object.values(body.examples ?? {})[0]?.value;
    if (example !== undefined) parts.push(`\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``);
  }
  parts.push(`Status codes: ${Object.keys(operation.responses).join(", ")}.`);
  return parts.filter((part) => part !== "").join("\n\n");
}

const row = (name: string, kind: string, meaning = ""): string =>
  `| \`${name}\` | ${kind} | ${escaped(meaning).replaceAll("|", "\\|").replaceAll("\n", " ")} |`;

/** Escapes text of the document, so that Markdown finds neither HTML nor a template in it. */
const escaped = (text: string): string =>
  text.replace(/(`[^`]*`)|[<{]/g, (found, code?: string) => code ?? (found === "<" ? "&lt;" : "&#123;"));

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(" or ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.items !== undefined) return "array";
  if (schema.oneOf !== undefined || schema.anyOf !== undefined) return "one of several";
  return [schema.type ?? "object"].flat().join(" or ");
}
