import { beforeAll, describe, expect, it } from "vitest";
import { createCtl } from "../ctl.ts";
import { createProgram } from "../program.ts";
import { type CommandTool, commandTools } from "./command-tools.ts";

const clientId = "0193a1b2-0000-7000-8000-000000000001";
let reading: ReadonlyMap<string, CommandTool>;
let writing: ReadonlyMap<string, CommandTool>;
let ofClient: ReadonlyMap<string, CommandTool>;

beforeAll(async () => {
  const ctl = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));
  const program = await createProgram(() => ctl);
  reading = commandTools(program, { onlyClientId: null, isWriting: false });
  writing = commandTools(program, { onlyClientId: null, isWriting: true });
  ofClient = commandTools(program, { onlyClientId: clientId, isWriting: true });
});

const toolOf = (tools: ReadonlyMap<string, CommandTool>, name: string): CommandTool => {
  const found = tools.get(name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return found;
};
const inputOf = (one: CommandTool): any => one.tool.inputSchema;

describe("the tools without --allow-writes", () => {
  it("offers the commands that only read as tools, from the table and hand-written ones", () => {
    const expected = ["clients_list", "clients_show", "deliveries_show", "audits_verify", "events_list", "find", "usage", "schedules_runs", "catalog_show", "whoami"]; // biome-ignore format: a list
    expect([...reading.keys()]).toEqual(expect.arrayContaining(expected));
    expect([...reading.values()].every(({ tool }) => tool.annotations?.readOnlyHint === true)).toBe(true);
  });

  it("offers no command that changes something", () => {
    for (const name of ["clients_create", "deliveries_retry", "campaigns_pause", "catalog_apply", "trigger"]) {
      expect(reading.has(name)).toBe(false);
      expect(writing.has(name)).toBe(true);
    }
  });
});

describe("the tools with --allow-writes", () => {
  it("never prints or takes a secret, reveals an address, signs in, acts on sessions or erases", () => {
    const forbidden =
      /issue|rotate|secret|token|erase|erasure|session|login|logout|password|contexts|completion|export|tail|listen|demo|approve/;
    expect([...writing.keys()].filter((name) => forbidden.test(name))).toEqual([]);
    for (const name of [
      "sender_profiles_create",
      "sender_profiles_update",
      "accounts_create",
      "ads_decide",
      "captured_show",
      "schedules_set_headers",
      "mcp",
    ])
      expect(writing.has(name)).toBe(false);
    for (const one of writing.values()) {
      const names = Object.keys(inputOf(one).properties);
      expect(names.filter((name) => /reveal|stdin|password|token|secret/.test(name))).toEqual([]);
    }
  });

  it("annotates which tools are destructive and which are idempotent", () => {
    const hints = (name: string) => toolOf(writing, name).tool.annotations;
    expect(hints("subscriptions_delete")).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(hints("campaigns_create")).toEqual({ readOnlyHint: false, destructiveHint: false, idempotentHint: false });
    expect(hints("subscriptions_replay")).toMatchObject({ idempotentHint: false });
    expect(hints("campaigns_pause")).toMatchObject({ destructiveHint: false, idempotentHint: true });
  });

  it("requires a reason if the command does, and offers it otherwise", () => {
    expect(inputOf(toolOf(writing, "migrations_annul")).required).toEqual(["transaction", "reason"]);
    expect(inputOf(toolOf(writing, "files_delete")).required).toEqual(["file", "reason"]);
    expect(inputOf(toolOf(writing, "campaigns_pause")).required).toEqual(["campaign"]);
    expect(inputOf(toolOf(writing, "campaigns_pause")).properties.reason).toBeDefined();
    expect(inputOf(toolOf(reading, "deliveries_show")).properties.reason).toBeUndefined();
  });

  it("accepts a document as a value, not as a path", () => {
    expect(inputOf(toolOf(writing, "catalog_apply")).properties.file.description).toContain("not a path");
  });
});

describe("a tool's input", () => {
  it("offers the command's options with _ for -, with types, and nothing else", () => {
    const schema = inputOf(toolOf(reading, "deliveries_list"));
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(schema.properties.error_code).toMatchObject({ type: "string" });
    expect(schema.properties.channel.enum).toContain("email");
    expect(schema.properties.limit).toMatchObject({ type: "integer", minimum: 1, maximum: 200 });
    expect(inputOf(toolOf(writing, "trigger")).required).toEqual(["type", "client"]);
    expect(inputOf(toolOf(writing, "clients_update")).properties.return_uri.type).toBe("array");
  });

  it("passes a value that begins with dashes as a value, never as an option (argument injection)", () => {
    const line = toolOf(reading, "deliveries_list").commandLine({ client: "--reveal", template: "--limit=1" });
    expect(line).toEqual(["deliveries", "list", "--client=--reveal", "--template=--limit=1"]);
    expect(toolOf(writing, "trigger").commandLine({ client: "c", type: "--json" })).toEqual(
      ["trigger", "--client=c", "--", "--json"], // biome-ignore format: one line
    );
  });

  it("repeats an option that accepts several values, and leaves out a flag that is false", () => {
    const update = toolOf(writing, "clients_update");
    expect(update.commandLine({ client: "c", return_uri: ["https://a.example/", "https://b.example/"] })).toEqual(
      ["clients", "update", "--client=c", "--return-uri=https://a.example/", "--return-uri=https://b.example/"], // biome-ignore format: one line
    );
    expect(update.commandLine({ client: "c", no_return_uris: true })).toContain("--no-return-uris");
    expect(toolOf(writing, "deliveries_retry").commandLine({ client: "c", dry_run: false })).not.toContain("--dry-run");
  });
});

describe("the tools of one Project Client", () => {
  it("offers no parameter for the client, and passes it in each call", () => {
    for (const one of ofClient.values()) expect(Object.keys(inputOf(one).properties)).not.toContain("client");
    expect(toolOf(ofClient, "deliveries_list").commandLine({})).toEqual(["deliveries", "list", `--client=${clientId}`]);
    expect(toolOf(ofClient, "deliveries_show").commandLine({ delivery: "d" })).toEqual([
      "deliveries",
      "show",
      "--delivery=d",
    ]);
  });

  it("retries one delivery without passing the client, because the command does not accept both", () => {
    expect(toolOf(ofClient, "deliveries_retry").commandLine({ delivery: "d" })).toEqual([
      "deliveries",
      "retry",
      "--delivery=d",
    ]);
    expect(toolOf(ofClient, "deliveries_retry").commandLine({ status: "failed" })).toContain(`--client=${clientId}`);
  });

  it("requires a resource of the client if the command would otherwise list those of all clients", () => {
    expect(inputOf(toolOf(reading, "ad_servers_list")).required).toEqual([]);
    expect(inputOf(toolOf(ofClient, "ad_servers_list")).required).toEqual(["campaign"]);
  });

  it("omits only commands that do not concern a project", () => {
    const omitted = [...writing.keys()].filter((name) => !ofClient.has(name));
    expect(omitted).toEqual([
      "whoami",
      "operator_actions_verify",
      "clients_create",
      "clients_list",
      "accounts_find",
      "accounts_show",
      "accounts_disable",
      "accounts_enable",
      "accounts_send_recovery",
      "approvals_list",
      "approvals_show",
      "brands_list",
      "image_presets_create",
      "image_presets_list",
      "ads_keys_list",
      "ads_keys_revoke",
    ]);
    for (const name of ["clients_show", "find", "files_show", "subscriptions_show", "operator_actions_list"])
      expect(ofClient.has(name)).toBe(true);
  });
});
