import { readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { repositoryRoot } from "./source-files.ts";

const guide = join(repositoryRoot, "docs/guides/from-python-go-java.md");
const programs = join(repositoryRoot, "tools/proofs/test-clients/clients");

/**
 * A client that `make test-clients` generates, compiles and runs: its folder below `clients`, and the files that a
 * reader saves before running the commands.
 */
type Client = { readonly title: string; readonly folder: string; readonly files: readonly string[] };

const openapiClients: readonly Client[] = [
  { title: "Python: openapi-python-client", folder: "openapi-python-client", files: ["program.py"] },
  { title: "Go: oapi-codegen", folder: "oapi-codegen", files: ["go.mod", "main.go"] },
  { title: "Go: ogen", folder: "ogen", files: ["go.mod", "main.go"] },
  {
    title: "Java: openapi-generator",
    folder: "openapi-generator-java",
    files: ["pom.xml", "src/main/java/Program.java"],
  },
  { title: "TypeScript: openapi-typescript", folder: "openapi-typescript", files: ["program.ts"] },
  { title: "TypeScript: Hey API", folder: "hey-api", files: ["program.ts"] },
];

const grpcClients: readonly Client[] = [
  { title: "Python: events over gRPC", folder: "grpc-python", files: ["program.py"] },
  { title: "Go: events over gRPC", folder: "grpc-go", files: ["go.mod", "main.go"] },
];

const fences: Readonly<Record<string, string>> = { ".py": "python", ".mod": "text", ".xml": "xml", ".java": "java" };

function section({ title, folder, files }: Client): string {
  const read = (file: string): string => readFileSync(join(programs, folder, file), "utf8").trimEnd();
  const shown = files.map((file) => {
    const fence = fences[extname(file)] ?? extname(file).slice(1);
    return `Save this as \`${file}\`:\n\n\`\`\`${fence}\n${read(file)}\n\`\`\`\n`;
  });
  return `## ${title}\n\n${shown.join("\n")}\nThen run:\n\n\`\`\`sh\n${read("commands.sh")}\n\`\`\`\n`;
}

/**
 * Generates the guide for other languages from the files and commands with which `make test-clients` generates clients,
 * compiles and runs them.
 */
function guideText(): string {
  return `<!-- Generated from tools/proofs/test-clients/clients by tools/checks/src/check-guide.ts. Do not edit. -->

# Generate a client for Python, Go, Java or TypeScript

The OpenAPI document of the platform is at \`/api/v1/openapi.json\`, and any OpenAPI generator can create a client from it. This page shows six generators. With
each of them, a small program reads its Project Client, publishes the same event twice under one key, uploads a file and reads a typed 422 error.
\`make test-clients\` runs the commands of this page, with these files, against the platform.

Work in an empty folder. Before you begin, set the address of the platform and your credential; on the local platform, the file \`.local/demo.env\` of its
checkout has both:

    set -a; . path/to/platform/.local/demo.env; set +a

If you need no generated types, the [guides](README.md) show each task with plain HTTP requests in Python and Go. To verify webhooks, use the
[Standard Webhooks](https://www.standardwebhooks.com) library for your language, as in [React to events](react-to-events.md).

${openapiClients.map(section).join("\n")}
## Read events over gRPC

A service that reads the whole event log can use gRPC. The following programs need a [consumer token](../events.md) in \`CONSUMER_TOKEN\`, the address of events-svc in
\`EVENTS_GRPC\`, and a copy of the folder \`proto\` of the platform's repository.

${grpcClients.map(section).join("\n")}`;
}

export function writeGuide(): void {
  writeFileSync(guide, guideText());
}

/** Checks that the committed guide matches the programs and commands. */
export function checkGuide(): string[] {
  return readFileSync(guide, "utf8") === guideText() ? [] : ["docs/guides/from-python-go-java.md: run make generate"];
}
