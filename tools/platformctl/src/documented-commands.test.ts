import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Command, CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { createCtl } from "./ctl.ts";
import { createProgram } from "./program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const documents = ["README.md", ...globSync("docs/**/*.md", { cwd: root })].sort();

/** A command as a document writes it: words, some of which are alternatives (`pause|resume`), and options. */
type Documented = { readonly text: string; readonly words: readonly string[]; readonly options: readonly string[] };

/** Returns the commands in a document: the words after `platformctl` in a code span or block, up to its end or a comment. */
function commandsOf(document: string): Documented[] {
  const text = readFileSync(`${root}/${document}`, "utf8").replaceAll(/\\\n\s*/g, " ");
  const code = [...text.matchAll(/```[a-z]*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(
    ([, block, span]) => block ?? span ?? "",
  );
  return [...code.join("\n").matchAll(/platformctl ((?:--json )?[a-z][^`\n]*)/g)].flatMap(([, line = ""]) => {
    const [command = ""] = line.split(/\s+#|\s*[;)]|\s+[<>]\s|, /);
    const words = command.replace(/^--json /, "").split(/\s+/);
    const end = words.findIndex((word) => !/^[a-z][a-z|-]*$/.test(word));
    const path = end === -1 ? words : words.slice(0, end);
    const options = words.filter((word) => word.startsWith("--")).map((word) => word.replace(/[=,].*$/, ""));
    return [{ text: command, words: path, options }];
  });
}

/** Returns every form of a command in which some words are alternatives. */
function expand(words: readonly string[]): string[][] {
  return words.reduce<string[][]>(
    (paths, word) => paths.flatMap((path) => word.split("|").map((one) => [...path, one])),
    [[]],
  );
}

function find(program: Command, path: readonly string[]): Command | undefined {
  let command: Command | undefined = program;
  for (const word of path) {
    const children: readonly Command[] = command?.commands ?? [];
    if (command !== undefined && children.length === 0) return command;
    command = children.find((child) => child.name() === word);
  }
  return command;
}

const ctl = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));
const found = documents.flatMap((document) => commandsOf(document).map((command) => ({ document, ...command })));

describe("the commands that documents name", () => {
  it("finds commands in the runbook", () => {
    expect(found.filter(({ document }) => document === "docs/operations.md").length).toBeGreaterThan(5);
  });

  it.each(found)("$document: finds `$text` with --help and its options", async ({ words, options }) => {
    for (const path of expand(words)) {
      const program = await createProgram(() => ctl);
      const command = find(program, path);
      expect(command, path.join(" ")).toBeDefined();
      const known = [...(command?.options ?? []), ...program.options].map(({ long }) => long);
      expect(known).toEqual(expect.arrayContaining([...options]));
      const names = path.slice(0, depthOf(command));
      await expect(program.parseAsync([...names, "--help"], { from: "user" })).rejects.toMatchObject({
        code: "commander.helpDisplayed",
      });
    }
  });
});

function depthOf(command: Command | undefined): number {
  let depth = 0;
  for (let each = command; each?.parent; each = each.parent) depth += 1;
  return depth;
}

it("refuses a command that does not exist", async () => {
  const program = await createProgram(() => ctl, ["deliveries", "resend"]);
  await expect(program.parseAsync(["deliveries", "resend"], { from: "user" })).rejects.toThrow(CommanderError);
});
