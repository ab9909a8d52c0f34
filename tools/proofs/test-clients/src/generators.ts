import { cpSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * A generator of API clients from the OpenAPI document. `clients/<name>` contains its commands and a program that uses
 * the generated client.
 */
export type Generator = {
  readonly name: string;
  /** The files of its types, and the beginning of a type's declaration. */
  readonly types: { readonly files: string; readonly pattern: RegExp };
  /** The files of its operations, and the name under which `events.publishDomainEvent` is called. */
  readonly operations: { readonly files: string; name(pascalCase: string): string };
};

const camelCase = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
const snakeCase = (name: string): string => camelCase(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const generators: readonly Generator[] = [
  {
    name: "openapi-typescript",
    types: { files: "generated/schema.ts", pattern: /^ {8}([A-Z]\w+):/gm },
    operations: {
      files: "generated/schema.ts",
      name: (name) =>
        `"${name.replace(/^[A-Z][a-z]+/, (tag) => `${tag.toLowerCase()}.`).replace(/\.([A-Z])/, (_, letter) => `.${letter.toLowerCase()}`)}": {`,
    },
  },
  {
    name: "hey-api",
    types: { files: "generated/types.gen.ts", pattern: /^export type (\w+) =/gm },
    operations: { files: "generated/sdk.gen.ts", name: (name) => `export const ${camelCase(name)} =` },
  },
  {
    name: "oapi-codegen",
    types: { files: "platform/models.go", pattern: /^type (\w+)/gm },
    operations: { files: "platform/client.go", name: (name) => `WithResponses) ${name}` },
  },
  {
    name: "ogen",
    types: { files: "platform/oas_schemas_gen.go", pattern: /^type (\w+)/gm },
    operations: { files: "platform/oas_client_gen.go", name: (name) => `func (c *Client) ${name}(` },
  },
  {
    name: "openapi-python-client",
    types: { files: "platform_client/models/*.py", pattern: /^class (\w+)/gm },
    operations: { files: "platform_client/api/*/*.py", name: snakeCase },
  },
  {
    name: "openapi-generator-java",
    types: {
      files: "target/generated-sources/openapi/src/main/java/com/projectintegration/client/model/*.java",
      pattern: /^public (?:class|enum|abstract class) (\w+)/gm,
    },
    operations: {
      files: "target/generated-sources/openapi/src/main/java/com/projectintegration/client/api/*.java",
      name: (name) => ` ${camelCase(name)}(`,
    },
  },
];

/** Creates an empty folder with a copy of `clients/<name>`. */
export function freshFolder(work: string, clients: string, name: string): string {
  const folder = join(work, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(clients, name), folder, { recursive: true });
  return folder;
}

/** Returns the contents of all files of `folder` that match `files`, each after its path. */
export function textOf(folder: string, files: string): string {
  return globSync(files, { cwd: folder })
    .map((file) => `${file}\n${readFileSync(join(folder, file), "utf8")}`)
    .join("\n");
}
