import { Command } from "commander";
import ownPackage from "../package.json" with { type: "json" };
import { registerAdsCommands } from "./commands/ads.ts";
import { registerDemoCommands } from "./commands/demo.ts";
import { registerEventsCommands } from "./commands/events.ts";
import { registerFilesCommands } from "./commands/files.ts";
import { registerFindCommand } from "./commands/find.ts";
import { registerIdentityCommands } from "./commands/identity.ts";
import { registerMachineCommands } from "./commands/machines.ts";
import { registerNotifyCommands } from "./commands/notify.ts";
import { registerOperatorCommands } from "./commands/operators.ts";
import { registerRetentionCommands } from "./commands/retention.ts";
import type { Ctl } from "./ctl.ts";

const { version } = ownPackage;

/** The CLI's commands, answering through `ctl`. */
export function createProgram(ctl: Ctl): Command {
  const program = new Command("platformctl")
    .description("Operate the platform: Project Clients, credentials, quotas, and what each service owns.")
    .version(version, "--version")
    .option("--json", "print one JSON document on stdout, as it is when stdout is no terminal")
    .option("--context <name>", "the platform to operate, of those that config.yaml names (platformctl contexts list)")
    .option("--reason <text>", "why; kept in the record of operators' actions")
    .exitOverride()
    // main.ts prints an error as one line.
    .configureOutput({ outputError: () => undefined, writeErr: () => undefined })
    .addHelpText(
      "after",
      `
Examples:
  platformctl clients create --name "My product" --environment development
  platformctl credentials issue --client <client id> --scopes clients:read,events:write
  platformctl quotas set --client <client id> --resource events --limit 100000

Settings come from --context, the environment (IDENTITY_GRPC, …) or the local stack's folder. Without platformctl login, OPERATOR_TOKEN
opens everything as break-glass, which is recorded and alerted.
Errors go to stderr; the exit code is then 1.`,
    );
  registerOperatorCommands(program, ctl);
  registerIdentityCommands(program, ctl);
  registerFilesCommands(program, ctl);
  registerNotifyCommands(program, ctl);
  registerEventsCommands(program, ctl);
  registerAdsCommands(program, ctl);
  registerMachineCommands(program, ctl);
  registerRetentionCommands(program, ctl);
  registerFindCommand(program, ctl);
  registerDemoCommands(program, ctl, invoke);
  return program;
}

/**
 * Runs one command inside this process and returns what it would print with --json.
 * @param args as on the command line, without the program's name
 */
export async function invoke(ctl: Ctl, args: readonly string[]): Promise<unknown> {
  let printed: unknown;
  const program = createProgram({
    ...ctl,
    print: (value) => {
      printed = value;
    },
  });
  await program.parseAsync([...args], { from: "user" });
  return printed;
}
