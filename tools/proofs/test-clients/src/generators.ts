import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Env, run } from "./commands.ts";

/** A program that generates a client from the OpenAPI document, and the program that uses this client. */
export type Generator = {
  readonly name: string;
  /** Generates the client in `folder`, which contains a copy of clients/<name>. */
  generate(folder: string): Promise<unknown>;
  /** Compiles it with the program that uses it. */
  compile(folder: string): Promise<unknown>;
  /** Runs that program and returns its output. */
  use(folder: string, env: Env): Promise<string>;
  /** Where its types are, and how the name of one begins. */
  readonly types: { readonly files: string; readonly pattern: RegExp };
  /** Where its operations are, and how `events.publishDomainEvent` is called there. */
  readonly operations: { readonly files: string; name(pascalCase: string): string };
};

const versions = {
  openapiTypescript: "7.13.0",
  openapiFetch: "0.17.0",
  heyApi: "0.99.0",
  typescript: "5.9.3",
  oapiCodegen: "v2.8.2",
  ogen: "v1.24.0",
  openapiPythonClient: "0.29.1",
};

const camelCase = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
const snakeCase = (name: string): string => camelCase(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function generators(openapi: string): readonly Generator[] {
  const npm = async (folder: string, packages: readonly string[]): Promise<void> => {
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages], { cwd: folder });
  };
  const tsc = (folder: string): Promise<string> => {
    const options = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--types", "node"];
    return run("npx", ["tsc", ...options, "--outDir", "built", "program.ts"], { cwd: folder });
  };
  const node = (folder: string, env: Env): Promise<string> =>
    run(process.execPath, ["built/program.js"], { cwd: folder, env });
  const go = (folder: string, args: readonly string[]): Promise<string> =>
    run("go", args, { cwd: folder, env: { GOFLAGS: "-mod=mod", CGO_ENABLED: "0" } });

  return [
    {
      name: "openapi-typescript",
      generate: async (folder) => {
        await npm(folder, [
          `openapi-typescript@${versions.openapiTypescript}`,
          `openapi-fetch@${versions.openapiFetch}`,
          `typescript@${versions.typescript}`,
          "@types/node@26.6.6",
        ]);
        await run("npx", ["openapi-typescript", openapi, "-o", "generated/schema.ts"], { cwd: folder });
      },
      compile: tsc,
      use: node,
      types: { files: "generated/schema.ts", pattern: /^ {8}([A-Z]\w+):/gm },
      operations: {
        files: "generated/schema.ts",
        name: (name) =>
          `"${name.replace(/^[A-Z][a-z]+/, (tag) => `${tag.toLowerCase()}.`).replace(/\.([A-Z])/, (_, letter) => `.${letter.toLowerCase()}`)}": {`,
      },
    },
    {
      name: "hey-api",
      generate: async (folder) => {
        await npm(folder, [
          `@hey-api/openapi-ts@${versions.heyApi}`,
          `typescript@${versions.typescript}`,
          "@types/node@26.6.6",
        ]);
        await run("npx", ["openapi-ts", "-i", openapi, "-o", "generated", "--silent"], { cwd: folder });
      },
      compile: tsc,
      use: node,
      types: { files: "generated/types.gen.ts", pattern: /^export type (\w+) =/gm },
      operations: { files: "generated/sdk.gen.ts", name: (name) => `export const ${camelCase(name)} =` },
    },
    {
      name: "oapi-codegen",
      generate: async (folder) => {
        mkdirSync(join(folder, "platform"));
        const program = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${versions.oapiCodegen}`;
        await go(folder, ["run", program, "-config", "models.yaml", openapi]);
        await go(folder, ["run", program, "-config", "client.yaml", openapi]);
      },
      compile: async (folder) => {
        await go(folder, ["mod", "tidy"]);
        await go(folder, ["build", "-o", "program", "."]);
      },
      use: (folder, env) => run(join(folder, "program"), [], { env }),
      types: { files: "platform/models.go", pattern: /^type (\w+)/gm },
      operations: { files: "platform/client.go", name: (name) => `WithResponses) ${name}` },
    },
    {
      name: "ogen",
      generate: (folder) =>
        go(folder, [
          "run",
          `github.com/ogen-go/ogen/cmd/ogen@${versions.ogen}`,
          "--target",
          "platform",
          "--package",
          "platform",
          "--clean",
          openapi,
        ]),
      compile: async (folder) => {
        await go(folder, ["mod", "tidy"]);
        await go(folder, ["build", "-o", "program", "."]);
      },
      use: (folder, env) => run(join(folder, "program"), [], { env }),
      types: { files: "platform/oas_schemas_gen.go", pattern: /^type (\w+)/gm },
      operations: { files: "platform/oas_client_gen.go", name: (name) => `func (c *Client) ${name}(` },
    },
    {
      name: "openapi-python-client",
      generate: async (folder) => {
        await run("python3", ["-m", "venv", "venv"], { cwd: folder });
        await run("venv/bin/pip", ["install", "-q", `openapi-python-client==${versions.openapiPythonClient}`], {
          cwd: folder,
        });
        writeFileSync(
          join(folder, "config.yaml"),
          "project_name_override: platform-client\npackage_name_override: platform_client\npost_hooks: []\n",
        );
        await run(
          "venv/bin/openapi-python-client",
          ["generate", "--path", openapi, "--output-path", "generated", "--config", "config.yaml"],
          { cwd: folder },
        );
      },
      compile: (folder) => run("venv/bin/python", ["-m", "compileall", "-q", "generated"], { cwd: folder }),
      use: (folder, env) =>
        run("venv/bin/python", ["program.py"], { cwd: folder, env: { ...env, PYTHONPATH: join(folder, "generated") } }),
      types: { files: "generated/platform_client/models/*.py", pattern: /^class (\w+)/gm },
      operations: { files: "generated/platform_client/api/*/*.py", name: snakeCase },
    },
    {
      name: "openapi-generator-java",
      generate: (folder) => run("mvn", ["-q", "-B", `-Dopenapi=${openapi}`, "generate-sources"], { cwd: folder }),
      compile: (folder) => run("mvn", ["-q", "-B", `-Dopenapi=${openapi}`, "process-classes"], { cwd: folder }),
      use: (folder, env) => run("java", ["-cp", "target/classes:target/dependency/*", "Program"], { cwd: folder, env }),
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
}

/** An empty folder with a copy of `clients/<name>`. */
export function freshFolder(work: string, clients: string, name: string): string {
  const folder = join(work, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(clients, name), folder, { recursive: true });
  return folder;
}

/** Contents of all files of `folder` that match `files`, by file, each preceded by its path. */
export function textOf(folder: string, files: string): string {
  return globSync(files, { cwd: folder })
    .map((file) => `${file}\n${readFileSync(join(folder, file), "utf8")}`)
    .join("\n");
}
