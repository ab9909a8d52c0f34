#!/usr/bin/env node
import { isServiceError } from "@platform/service-kit/errors/service-error";
import { Command } from "commander";
import { registerAdsCommands } from "./commands/ads.ts";
import { registerEventsCommands } from "./commands/events.ts";
import { registerFilesCommands } from "./commands/files.ts";
import { registerIdentityCommands } from "./commands/identity.ts";
import { registerNotifyCommands } from "./commands/notify.ts";
import { createCtl } from "./ctl.ts";

const program = new Command("platformctl")
  .description("Operate the platform: Project Clients, credentials, quotas, and what each service owns.")
  .option("--json", "print one JSON document on stdout")
  .showHelpAfterError("(add --help for what this command takes)")
  .addHelpText(
    "after",
    `
Examples:
  platformctl clients create --name "My product" --environment development
  platformctl credentials issue --client <client id> --scopes clients:read,events:write
  platformctl quotas set --client <client id> --resource events --limit 100000

Settings come from the environment (OPERATOR_TOKEN, IDENTITY_GRPC, …) or from the local stack's folder.
Errors go to stderr; the exit code is then 1.`,
  );

const ctl = createCtl(process.env, () => program.opts<{ json?: boolean }>().json === true);
registerIdentityCommands(program, ctl);
registerFilesCommands(program, ctl);
registerNotifyCommands(program, ctl);
registerEventsCommands(program, ctl);
registerAdsCommands(program, ctl);

try {
  await program.parseAsync();
} catch (error) {
  const known = isServiceError(error);
  const details = known && Object.keys(error.details).length > 0 ? ` ${JSON.stringify(error.details)}` : "";
  process.stderr.write(`platformctl: ${known ? `${error.code}: ` : ""}${(error as Error).message}${details}\n`);
  process.exitCode = 1;
} finally {
  ctl.close();
}
