import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./source-files.ts";

const guide = join(repositoryRoot, "docs/guides/from-python-go-java.md");
const programs = join(repositoryRoot, "tools/proofs/test-clients/clients");

/** A program that `make test-clients` compiles and runs. One is shown in full, the others are linked. */
type Program = {
  readonly title: string;
  readonly generate: string;
  readonly file: string;
  readonly language?: "python";
};

const languages: readonly Program[] = [
  {
    title: "Python: openapi-python-client",
    generate: "openapi-python-client generate --url $BASE_URL/api/v1/openapi.json",
    file: "openapi-python-client/program.py",
    language: "python",
  },
  {
    title: "Go: oapi-codegen",
    generate: "oapi-codegen -generate types,client -package platform openapi.json > platform/client.go",
    file: "oapi-codegen/main.go",
  },
  {
    title: "Go: ogen",
    generate: "ogen --target platform --package platform openapi.json",
    file: "ogen/main.go",
  },
  {
    title: "Java: openapi-generator",
    generate: "openapi-generator generate -g java -i $BASE_URL/api/v1/openapi.json",
    file: "openapi-generator-java/src/main/java/Program.java",
  },
  {
    title: "Python: events over gRPC",
    generate: "python -m grpc_tools.protoc -Iproto --python_out=. --grpc_python_out=. $(find proto -name '*.proto')",
    file: "grpc-python/program.py",
  },
  {
    title: "Go: events over gRPC",
    generate:
      "protoc -Iproto --go_out=. --go_opt=module=projectintegration --go-grpc_out=. --go-grpc_opt=module=projectintegration $(find proto -name '*.proto')",
    file: "grpc-go/main.go",
  },
];

/** The guide to other languages: the very programs that `make test-clients` generates clients for, compiles and runs. */
function guideText(): string {
  const sections = languages.map(({ title, generate, file, language }) => {
    const command = `## ${title}\n\n\`\`\`sh\n${generate}\n\`\`\`\n\n`;
    if (language === undefined) return `${command}[Program](../../tools/proofs/test-clients/clients/${file})\n`;
    return `${command}\`\`\`${language}\n${readFileSync(join(programs, file), "utf8").trimEnd()}\n\`\`\`\n`;
  });
  return `<!-- Generated from tools/proofs/test-clients/clients by tools/checks/src/check-guide.ts. Do not edit. -->

# From Python, Go, Java

Any OpenAPI generator can create a client from the OpenAPI document at \`/api/v1/openapi.json\`. The programs below are compiled and
run against the platform by \`make test-clients\`, which also tries openapi-typescript and @hey-api/openapi-ts. Each program reads its Project Client, publishes
the same event twice with one idempotency key, uploads a file and reads a typed 422 error. To verify webhooks from the platform, use the Standard Webhooks
library for your language.

${sections.join("\n")}`;
}

export function writeGuide(): void {
  writeFileSync(guide, guideText());
}

/** Checks that the committed guide matches the programs. */
export function checkGuide(): string[] {
  return readFileSync(guide, "utf8") === guideText() ? [] : ["docs/guides/from-python-go-java.md: run make generate"];
}
