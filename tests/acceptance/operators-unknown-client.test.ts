import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCtl } from "@platform/platformctl/ctl";
import { createProgram } from "@platform/platformctl/program";
import { afterAll, beforeAll, expect, test } from "vitest";
import { acceptanceStack } from "./stack.ts";

type Command = Awaited<ReturnType<typeof createProgram>>;
type Leaf = { readonly path: readonly string[]; readonly command: Command };
const leavesOf = (command: Command, path: readonly string[]): Leaf[] =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));

const catalog = join(mkdtempSync(join(tmpdir(), "unknown-client-")), "catalog.yaml");
writeFileSync(catalog, "templates: []\n");

/** A value for each option that a command with --client requires. */
const values: Readonly<Record<string, string>> = {
  "--resource": "events",
  "--limit": "5",
  "--scopes": "events:write",
  "--since": "2h",
  "--until": "2h",
  "--status": "failed",
  "--kind": "deliveries",
  "--days": "30",
  "--channel": "email",
  "--name": "n",
  "--config": '{"from":"a@example.com","smtp_url":"smtp://127.0.0.1:1"}',
  "--file": catalog,
  "--text": "order-1",
  "--user-id": `U${"0".repeat(32)}`,
  "--address": "somebody@example.com",
  "--email": "somebody@example.com",
  "--role": "reader",
  "--to": "1",
  "--types": "order.*",
  "--forward-to": "http://127.0.0.1:1/hooks",
  "--reason": "test",
  "--currency": "JPY",
  "--cpm-minor": "1000",
  "--budget-minor": "1000",
  "--destination-url": "https://example.com/",
};
/**
 * Additional arguments of commands: a positional argument, or an option of a command that requires one of several.
 */
const besides: Readonly<Record<string, readonly string[]>> = {
  "clients update": ["--name", "n"],
  "contacts remove": ["--email", "somebody@example.com"],
  "deliveries retry": ["--status", "failed", "--since", "2h"],
  "sessions end": ["--subject", "somebody"],
  trigger: ["platform.file_object.rejected"],
};
const named = await createProgram(() => createCtl({ STACK_DIR: "/nonexistent" }, () => ({})));
// `mcp` runs until its input ends, even if another person signs in meanwhile. Its tools reject the calls.
const leaves = leavesOf(named, []).filter(
  ({ path, command }) => path.join(" ") !== "mcp" && command.options.some(({ long }) => long === "--client"),
);

let ctl: Awaited<ReturnType<typeof createCtl>>;
beforeAll(async () => {
  const home = join(acceptanceStack.directory, "stack-platformctl");
  const env = { STACK_DIR: acceptanceStack.directory, PLATFORMCTL_HOME: home };
  ctl = await createCtl(env, () => ({ json: true, reason: "test" }));
});
afterAll(() => ctl.close());

test("covers every command that has --client", () => {
  expect(leaves.length).toBeGreaterThan(35);
});

test.each(leaves.map(({ path, command }) => [path.join(" "), path, command] as const))(
  "%s refuses a Project Client that does not exist",
  async (name, path, command) => {
    const required = command.options
      .filter(({ mandatory, long }) => mandatory && long !== "--client")
      .flatMap(({ long }) => [long ?? "", values[long ?? ""] ?? ""]);
    const args = [...path, "--client", randomUUID(), ...required, ...(besides[name] ?? [])];
    const program = await createProgram(() => ctl, args);
    await expect(program.parseAsync(args, { from: "user" }), args.join(" ")).rejects.toMatchObject({
      code: "project_client_not_found",
    });
  },
);
