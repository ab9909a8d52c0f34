import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressVariables } from "@platform/contracts/service-addresses";
import { serviceNames } from "@platform/contracts/services";
import { sampleClientId, sampleYear } from "@platform/test-kit/sample-message";
import { type SampleReplies, serveSamples } from "@platform/test-kit/sample-services";
import type { Command, Option } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCtl } from "../src/ctl.ts";
import { errorLine } from "../src/error-line.ts";
import { printable, printableJson } from "../src/printable.ts";
import { createProgram } from "../src/program.ts";
import { forTerminal } from "../src/table.ts";

/*
 * Writes what every command prints, with the calls that it makes, to files, so that a change of the output is visible in the diff. The services respond to
 * each call with a sample. `npx vitest run --project service tools/platformctl/tests/printed.test.ts -u` rewrites the files.
 */

/** Commands that work on this machine's files, follow a log without end or wait for a person. Their fixtures contain only their help. */
const helpAlone = /^(login|logout|contexts|completion|listen|demo|mcp|requests tail)\b/;

/**
 * Commands that are also run with responses that have no optional fields. Other commands either print the same rows, or repeat calls until they find what is
 * missing.
 */
const reading = / (list|show|find|report|refusals|runs|failed|gaps)$/;

/** Arguments that a command needs in addition to one value for each of its required options. */
const alsoGiven: Readonly<Record<string, readonly string[]>> = {
  "accounts create": ["--password", "correct-horse-battery"],
  "clients update": ["--name", "sample"],
  "contacts remove": ["--contact", sampleClientId],
  "deliveries retry": ["--delivery", sampleClientId],
  "events tail": ["--limit", "1"],
  "persons erase": ["--account", sampleClientId],
  "schedules rotate-secret": ["--secret-stdin"],
  "schedules runs": ["--operation", sampleClientId],
  "sender-profiles update": ["--config", "{}"],
  "sessions end": ["--subject", "sample"],
  "sessions list": ["--operators"],
  "sessions revoke": ["--account", sampleClientId],
  trigger: ["platform.file_object.rejected"],
};

/** Options that a command does not accept together with its other options. */
const notTogether: Readonly<Record<string, readonly string[]>> = {
  "accounts create": ["--password-stdin"],
  "deliveries retry": ["--delivery"],
  "events list": ["--cursor"],
  "persons erase": ["--email"],
  "schedules runs": ["--invocation"],
  "contacts remove": ["--contact"],
  usage: ["--kind"],
  "sender-profiles update": ["--changes"],
  "sessions end": ["--session-id"],
  "sessions list": ["--account", "--operators"],
  "sessions revoke": ["--session-id"],
};

const digest = "1".repeat(64);
const recorded = { actions: [{ id: sampleClientId, digest }] };
const entryOf = (text: string) => ({ audits: [{ seq: 1n, resourceId: `${sampleClientId} ${text}` }] });

/** Replies for commands that compare them with each other, each with a title. The samples do not agree. */
const agreeing: Readonly<Record<string, readonly (readonly [string, SampleReplies])[]>> = {
  "operator-actions verify": [
    [
      "a record that is complete",
      { ListOperatorActions: recorded, ListProjectAudits: entryOf(digest), VerifyProjectAudits: { valid: true } },
    ],
    [
      "an altered action, in a chain that is broken and has an entry of another form",
      {
        ListOperatorActions: recorded,
        ListProjectAudits: { audits: [...entryOf("2".repeat(64)).audits, { seq: 2n, resourceId: "sample" }] },
        VerifyProjectAudits: { valid: false, reason: "hash_mismatch", brokenAtSeq: 1n },
      },
    ],
  ],
};

const folder = mkdtempSync(join(tmpdir(), "printed-"));
const catalog = join(folder, "catalog.json");
let samples: Awaited<ReturnType<typeof serveSamples>>;
beforeAll(async () => {
  writeFileSync(catalog, JSON.stringify({ templates: [] }));
  samples = await serveSamples();
});
afterAll(async () => {
  await samples.close();
  rmSync(folder, { recursive: true });
});

const bare = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));
type Leaf = { readonly path: readonly string[]; readonly command: Command };
const leavesOf = (command: Command, path: readonly string[] = []): Leaf[] =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
const program = await createProgram(() => bare);

const values: Readonly<Record<string, string>> = {
  "--by": "day",
  "--channel": "email",
  "--config": "{}",
  "--currency": "JPY",
  "--destination-url": "https://example.com/sample",
  "--environment": "development",
  "--format": "webp",
  "--head": "0".repeat(64),
  "--headers": "{}",
  "--kind": "deliveries",
  "--order": "stream",
  "--overlap": "queue",
  "--platform-events": "on",
  "--quality": "80",
  "--resource": "events",
  "--success-ratio": "0.1",
  "--scopes": "events:write,audit:write",
  "--status": "failed",
  "--types": "order.*,platform.*",
};

/** Values of options that must differ for one command. */
const ownValues: Readonly<Record<string, string>> = {
  "accounts send-recovery --language": "ja",
  "endpoints list --status": "revoked",
  "files list --status": "quarantined",
  "files show --file": sampleClientId,
  "files delete --file": sampleClientId,
  "migrations list --status": "link_pending",
  "requests list --status": "4xx",
  "contacts add --kind": "technical",
  "contacts remove --kind": "technical",
  "retention set --kind": "kind-1",
  "schedules set-overlap --overlap": "skip",
};

function sampleValue(words: string, { long, flags }: Option): string {
  const [placeholder = ""] = /<.*>/.exec(flags) ?? [];
  const own = ownValues[`${words} ${long}`];
  if (own !== undefined) return own;
  if (long === "--file") return catalog;
  if (/^<(n|seconds|amount|pixels|position|seq|limit|1-100)>$/.test(placeholder)) return "7";
  if (placeholder === "<time>") return `${sampleYear}-01-31T09:00:00Z`;
  if (/^<.*id>$/.test(placeholder)) return sampleClientId;
  return values[long ?? ""] ?? "sample";
}

const given = (words: string, options: readonly Option[]): string[] =>
  options.flatMap((option) => [option.long ?? "", ...(/[<[]/.test(option.flags) ? [sampleValue(words, option)] : [])]);

/** Runs a command, and returns the calls that it made and what it printed in both forms, or its error. */
async function run(args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const addresses = addressVariables("GRPC", serviceNames, () => samples.address);
  const env = { STACK_DIR: "/nonexistent", OPERATOR_TOKEN: "sample", ...addresses };
  const ctl = await createCtl(env, () => ({}));
  const print = (value: unknown, human?: () => string): void => {
    printed.push(`--json: ${printableJson(value)}`, printable(human === undefined ? forTerminal(value) : human()));
  };
  const recording = {
    ...ctl,
    print,
    printLine: (value: unknown) => void printed.push(printableJson(value)),
    readStandardInput: async () => "sample secret",
  };
  try {
    const running = await createProgram(() => recording, args);
    await running.parseAsync([...args], { from: "user" });
  } catch (error) {
    printed.push(`platformctl: ${errorLine(error as Error)}`);
  } finally {
    ctl.close();
  }
  if (process.exitCode !== undefined && process.exitCode !== 0) printed.push(`exit code ${process.exitCode}`);
  process.exitCode = undefined;
  const line = ["$ platformctl", ...args.map((arg) => (/[^\w.,:/=-]/.test(arg) ? `'${arg}'` : arg))].join(" ");
  return [line, ...samples.takeCalls().map((call) => `> ${call}`), ...printed].join("\n");
}

/** Replaces everything that differs between two runs: folders, and times that are not from a sample. */
const settled = (text: string): string =>
  text
    .replaceAll(folder, "<folder>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (time.startsWith(`${sampleYear}`) ? time : "<time>"));

const groups = program.commands.map((command) => [command.name(), command] as const);

test.each(groups)("prints what its fixture contains: %s", async (name, group) => {
  const parts: string[] = [];
  if (group.commands.length > 0) parts.push(group.helpInformation());
  for (const { path, command } of leavesOf(group, [name])) {
    const words = path.join(" ");
    const help: string[] = [];
    command.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp();
    parts.push(`$ platformctl ${words} --help\n${help.join("")}`);
    if (helpAlone.test(words)) continue;
    const required = command.options.filter(({ mandatory }) => mandatory);
    for (const left of required)
      parts.push(
        await run([
          ...path,
          ...given(
            words,
            required.filter((option) => option !== left),
          ),
        ]),
      );
    for (const option of command.options.filter(({ flags }) => /<(n|seconds|amount|position|limit|time)>/.test(flags)))
      parts.push(
        await run([
          ...path,
          ...given(
            words,
            required.filter((other) => other !== option),
          ),
          option.long ?? "",
          "-",
        ]),
      );
    for (const [title, replies] of agreeing[words] ?? []) {
      samples.setReplies(replies);
      parts.push(`# of ${title}\n${await run(path)}`);
      samples.setReplies({});
    }
    if (agreeing[words] !== undefined) continue;
    const few = [...path, ...given(words, required), ...(alsoGiven[words] ?? [])];
    parts.push(await run(few));
    if (reading.test(words)) {
      samples.setSparse(true);
      parts.push(`# of what has nothing optional\n${await run(few)}`);
      samples.setSparse(false);
    }
    const excluded = notTogether[words] ?? [];
    const all = command.options.filter(({ long }) => !excluded.includes(long ?? ""));
    const many = [...path, ...given(words, all), ...(words === "trigger" ? (alsoGiven[words] ?? []) : [])];
    if (many.join(" ") !== few.join(" ")) parts.push(await run(many));
  }
  await expect(settled(`${parts.join("\n\n")}\n`)).toMatchFileSnapshot(`fixtures/${name}.txt`);
});
