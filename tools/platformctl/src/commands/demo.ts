import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scopes } from "@platform/contracts/scopes";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { demoCatalog, demoFcmProfile, emailTemplateKey, pushTemplateKey } from "../demo-data.ts";
import { readTextFile } from "../read-text.ts";
import { topLevel } from "../top-level.ts";

const allScopes = scopes.join(",");

/** Runs another command of the CLI and returns what it would print. */
export type Invoke = (ctl: Ctl, args: readonly string[]) => Promise<unknown>;

/** Commands that create a project for trying out the platform. */
export function registerDemoCommands(program: Command, ctl: Ctl, invoke: Invoke): void {
  const demo = topLevel(program, "demo");
  demo
    .command("seed")
    .description(
      "Create the demo project and write its settings to demo.env in the folder of the local stack. You can repeat it safely.",
    )
    .action(async () => {
      const path = join(ctl.stackDirectory(), "demo.env");
      const settings = (await currentSettings(ctl, invoke, path)) ?? (await seed(ctl, invoke));
      await inviteMembers(ctl, invoke, settings.PROJECT_CLIENT_ID ?? "");
      mkdirSync(ctl.stackDirectory(), { recursive: true });
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
      writeFileSync(path, lines.join(""), { mode: 0o600 });
      ctl.print({ env: path, project_client_id: settings.PROJECT_CLIENT_ID }, () => `Wrote ${path}`);
    });
}

/** Returns the output of an earlier `demo seed` if its Project Client still exists. */
async function currentSettings(ctl: Ctl, invoke: Invoke, path: string): Promise<Record<string, string> | null> {
  if (!existsSync(path)) return null;
  const lines = readTextFile(path, "STACK_DIR")
    .split("\n")
    .filter((line) => line.includes("="));
  const settings = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  if (settings.PROJECT_CLIENT_ID === undefined || settings.BASE_URL !== baseUrl(ctl)) return null;
  try {
    await invoke(ctl, ["clients", "show", "--client", settings.PROJECT_CLIENT_ID]);
    return settings;
  } catch {
    return null;
  }
}

async function seed(ctl: Ctl, invoke: Invoke): Promise<Record<string, string>> {
  const make = async <T extends object>(...args: string[]): Promise<T> => (await invoke(ctl, args)) as T;
  const id = async (...args: string[]): Promise<string> => (await make<{ id: string }>(...args)).id;

  const client = await id(
    "clients", "create", "--name", "Demo project", "--environment", "development", "--return-uri", "http://127.0.0.1:8999/return",
  ); // biome-ignore format: one command
  const { credential } = await make<{ credential: string }>(
    "credentials", "issue", "--client", client, "--scopes", allScopes, "--name", "demo",
  ); // biome-ignore format: one command
  const smtpUrl = ctl.setting("SMTP_URL") ?? "smtp://127.0.0.1:1025";
  const email = { from: "Demo project <demo@example.com>", smtp_url: smtpUrl, default_locale: "en" };
  const profile = (channel: string, config: object): Promise<string> =>
    id(
      "sender-profiles",
      "create",
      "--client",
      client,
      "--channel",
      channel,
      "--name",
      `demo-${channel}`,
      "--config",
      JSON.stringify(config),
    );
  const catalogPath = join(ctl.stackDirectory(), "demo-catalog.yaml");
  mkdirSync(ctl.stackDirectory(), { recursive: true });
  writeFileSync(catalogPath, demoCatalog);
  const settings = {
    BASE_URL: baseUrl(ctl),
    PROJECT_CLIENT_ID: client,
    PROJECT_CREDENTIAL: credential,
    SENDER_PROFILE_EMAIL: await profile("email", email),
    SENDER_PROFILE_FCM: await profile("fcm", demoFcmProfile()),
    IMAGE_PRESET_ID: await id(
      "image-presets", "create", "--name", "demo", "--format", "webp", "--max-width", "1024", "--max-height", "1024", "--quality", "80",
    ), // biome-ignore format: one command
    CAMPAIGN_ID: await id(
      "campaigns", "create", "--name", "Demo campaign", "--currency", "JPY", "--cpm-minor", "250", "--budget-minor", "1000000",
      "--destination-url", "https://example.com/landing", "--client", client,
    ), // biome-ignore format: one command
    DEMO_TEMPLATE_EMAIL: emailTemplateKey,
    DEMO_TEMPLATE_PUSH: pushTemplateKey,
  };
  await invoke(ctl, ["catalog", "apply", "--client", client, "--file", catalogPath]);
  return settings;
}

/** Invites the local stack's owner and developer, unless the project has members. */
async function inviteMembers(ctl: Ctl, invoke: Invoke, clientId: string): Promise<void> {
  const path = join(ctl.stackDirectory(), "operators.env");
  if (!existsSync(path)) return;
  const { items } = (await invoke(ctl, ["members", "list", "--client", clientId])) as { items: readonly unknown[] };
  if (items.length > 0) return;
  const people = readTextFile(path, "STACK_DIR");
  for (const role of ["owner", "developer"]) {
    const [, email] = new RegExp(`^MEMBER_${role.toUpperCase()}_EMAIL=(.+)$`, "m").exec(people) ?? [];
    if (email !== undefined)
      await invoke(ctl, ["members", "add", "--client", clientId, "--email", email, "--role", role]);
  }
}

function baseUrl(ctl: Ctl): string {
  return ctl.setting("PUBLIC_BASE_URL") ?? "http://127.0.0.1:8080";
}
