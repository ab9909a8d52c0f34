import { existsSync } from "node:fs";
import { rowOf } from "@platform/contracts/operator/row-values";
import { senderProfiles } from "@platform/contracts/operator/sender-profiles";
import { NotifyAdminService, SenderProfileSchema } from "@platform/proto/notify/v1/notify_admin";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { readInteger } from "../options.ts";
import { readTextFile } from "../read-text.ts";
import { topLevel } from "../top-level.ts";
import { UsageError } from "../usage-error.ts";

const overlapSecondsMax = 30 * 86_400;

/** Commands `sender-profiles …`. */
export function registerSenderProfileCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("notify").service(NotifyAdminService);
  const change = () => ctl.connection("notify").service(SenderProfileAdminService);

  const profiles = topLevel(program, "sender-profiles");
  profiles
    .command("create")
    .description("Create a sender profile. Its configuration is never shown again.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--channel <channel>", "email, fcm, apns, line or web_push")
    .requiredOption("--name <name>", "name of the profile, 1 to 120 characters")
    .requiredOption(
      "--config <file, JSON or ->",
      "configuration: the path of a JSON file, JSON, or - for standard input",
    )
    .addHelpText(
      "after",
      `
Configuration, by channel:
  email     {"from", "smtp_url"?, "reply_to"?, "bounce_domain"?, "dkim"?: {"domain", "selector", "private_key"}}
  fcm       {"project_id", "client_email", "private_key"}           as in the key file of a service account
  apns      {"team_id", "key_id", "topic", "private_key", "environment"?: production|sandbox}
  line      {"channel_access_token"}
  web_push  {"subject", "public_key", "private_key"}                VAPID keys in base64url
All channels also take "default_locale", "verification" (true: send verification pushes through this profile) and "mode" (send or capture).

Example:
  platformctl sender-profiles create --client <client id> --channel email --name Mail \\
    --config '{"from":"Shop <no-reply@shop.example>","smtp_url":"smtps://user:secret@mail.example:465"}'`,
    )
    .action(async (options: { client: string; channel: string; name: string; config: string }) => {
      const { client, channel, name } = options;
      const configJson = await readConfig(ctl, options.config);
      const { id } = await admin().createSenderProfile(
        { projectClientId: client, channel, name, configJson },
        ctl.call(client),
      );
      ctl.print({ id });
    });
  registerResource(profiles, ctl, senderProfiles);
  profiles
    .command("update")
    .description("Replace the configuration of a profile under the same id. Workers use it within two seconds.")
    .requiredOption("--profile <id>", "sender profile id")
    .option(
      "--config <file, JSON or ->",
      "complete configuration: the path of a JSON file, JSON, or - for standard input",
    )
    .option("--changes <file, JSON or ->", "changes as a JSON merge patch, instead of --config")
    .option(
      "--overlap-seconds <seconds>",
      "how long the old credentials are used if the provider rejects the new ones (default 86400; 0 ends them immediately)",
    )
    .addHelpText(
      "after",
      "\nExample:\n  platformctl sender-profiles update --profile <profile id> --config - < apns.json",
    )
    .action(async (options: { profile: string; config?: string; changes?: string; overlapSeconds?: string }) => {
      const { config, changes, overlapSeconds } = options;
      const overlap =
        overlapSeconds === undefined
          ? {}
          : { overlapSeconds: readInteger("--overlap-seconds", overlapSeconds, 0, overlapSecondsMax) };
      if ((config === undefined) === (changes === undefined)) throw new UsageError("give either --config or --changes");
      const { senderProfile } = await change().updateSenderProfile(
        {
          senderProfileId: options.profile,
          ...(config === undefined ? {} : { configJson: await readConfig(ctl, config) }),
          ...(changes === undefined ? {} : { changesJson: await readConfig(ctl, changes) }),
          ...overlap,
        },
        ctl.call(),
      );
      if (senderProfile === undefined) throw new Error("notify-svc answered without a sender profile");
      ctl.print(rowOf(SenderProfileSchema, senderProfiles.columns, senderProfile));
    });
  profiles
    .command("test")
    .description("Send one test message through a profile and print the provider's response.")
    .requiredOption("--profile <id>", "sender profile id")
    .requiredOption("--to <address>", "address of the profile's channel")
    .addHelpText("after", "\nExample:\n  platformctl sender-profiles test --profile <profile id> --to me@example.com")
    .action(async ({ profile, to }: { profile: string; to: string }) => {
      const { accepted, detail } = await change().testSenderProfile({ senderProfileId: profile, to }, ctl.call());
      ctl.print({ accepted, detail });
    });
}

/** Returns the configuration as JSON text. Throws if the value is neither JSON nor a file that contains JSON. */
async function readConfig(ctl: Ctl, given: string): Promise<string> {
  if (given === "-") return readConfig(ctl, await ctl.readStandardInput());
  const isInline = given.trimStart().startsWith("{");
  if (!isInline && !existsSync(given))
    throw new UsageError(`--config: neither an existing file nor a JSON object: ${given}`);
  const text = isInline ? given : readTextFile(given, "--config");
  try {
    JSON.parse(text);
  } catch {
    throw new UsageError("--config: not JSON");
  }
  return text;
}
