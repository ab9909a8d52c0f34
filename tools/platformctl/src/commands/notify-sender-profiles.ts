import { existsSync, readFileSync } from "node:fs";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { readStandardInput } from "../secrets.ts";
import { UsageError } from "../usage-error.ts";

/** `sender-profiles` and `endpoints`. */
export function registerSenderProfileCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("notify").service(NotifyAdminService);

  const profiles = program
    .command("sender-profiles")
    .description("How a Project Client sends: one profile for each account at a provider. Secrets are sealed at rest.");
  profiles
    .command("create")
    .description("Store a sender profile. Its configuration is never shown again; make a new one to change it.")
    .requiredOption("--client <id>", "the Project Client")
    .requiredOption("--channel <channel>", "email, fcm, apns, line or web_push")
    .requiredOption("--name <name>", "what to call it, 1 to 120 characters")
    .requiredOption(
      "--config <file, JSON or ->",
      "the configuration: a JSON file, JSON itself, or - for standard input",
    )
    .addHelpText(
      "after",
      `
Configuration, by channel:
  email     {"from", "smtp_url"?, "reply_to"?, "dkim"?: {"domain", "selector", "private_key"}}
  fcm       {"project_id", "client_email", "private_key"}           as in a service account's key file
  apns      {"team_id", "key_id", "topic", "private_key", "environment"?: production|sandbox}
  line      {"channel_access_token"}
  web_push  {"subject", "public_key", "private_key"}                VAPID keys in base64url
Each also takes "default_locale" and "verification" (true: verification pushes leave through it).

Example:
  platformctl sender-profiles create --client <client id> --channel email --name Mail \\
    --config '{"from":"Shop <no-reply@shop.example>","smtp_url":"smtps://user:secret@mail.example:465"}'`,
    )
    .action(async (options: { client: string; channel: string; name: string; config: string }) => {
      const { client, channel, name } = options;
      const configJson = await readConfig(options.config);
      const { id } = await admin().createSenderProfile(
        { projectClientId: client, channel, name, configJson },
        ctl.call(client),
      );
      ctl.print({ id });
    });
  profiles
    .command("list")
    .description("List a client's sender profiles, oldest first, without their secrets.")
    .requiredOption("--client <id>", "the Project Client")
    .addHelpText("after", "\nExample:\n  platformctl sender-profiles list --client <client id>")
    .action(async ({ client }: { client: string }) => {
      const { senderProfiles } = await admin().listSenderProfiles({ projectClientId: client }, ctl.call(client));
      ctl.print(
        senderProfiles.map((profile) => ({
          id: profile.id,
          channel: profile.channel,
          name: profile.name,
          default_locale: profile.defaultLocale === "" ? null : profile.defaultLocale,
          verification: profile.verification,
          created_at: profile.createdAt === undefined ? null : timestampDate(profile.createdAt).toISOString(),
        })),
      );
    });

  program
    .command("endpoints")
    .description("Delivery Endpoints that operators make.")
    .command("link-line")
    .description("Link a LINE user as a verified endpoint; linking the same one again answers the same id.")
    .requiredOption("--client <id>", "the Project Client")
    .requiredOption("--user-id <id>", "the LINE user ID: U and 32 hex characters")
    .addHelpText(
      "after",
      "\nExample:\n  platformctl endpoints link-line --client <client id> --user-id U4af4980629f8a1e3b8c2d5e6f7a8b9c0",
    )
    .action(async ({ client, userId }: { client: string; userId: string }) => {
      const { id } = await admin().linkLineEndpoint({ projectClientId: client, userId }, ctl.call(client));
      ctl.print({ id });
    });
}

/** The configuration as JSON text. Throws when it is neither JSON nor a file that holds it. */
async function readConfig(given: string): Promise<string> {
  if (given === "-") return readConfig(await readStandardInput());
  const isInline = given.trimStart().startsWith("{");
  if (!isInline && !existsSync(given)) throw new UsageError(`--config: no such file, and no JSON object: ${given}`);
  const text = isInline ? given : readFileSync(given, "utf8");
  try {
    JSON.parse(text);
  } catch {
    throw new UsageError("--config: not JSON");
  }
  return text;
}
