import { Command, Help } from "commander";
import ownPackage from "../package.json" with { type: "json" };
import type { Ctl } from "./ctl.ts";
import { type Summary, type TopLevelName, topLevel, topLevelCommands } from "./top-level.ts";
import { waitingAct } from "./waiting-act.ts";

const { version } = ownPackage;

type Register = (program: Command, ctl: Ctl) => void;

/** A file of commands. It is loaded when the command line names one of its commands. */
type CommandModule = {
  readonly names: readonly TopLevelName[];
  /** Groups of other modules to which this file adds commands. */
  readonly extends?: readonly TopLevelName[];
  readonly load: () => Promise<Register>;
};

/** All commands in the order of the help. */
const modules: readonly CommandModule[] = [
  {
    names: ["login", "logout", "whoami"],
    load: async () => (await import("./commands/operators/sign-in.ts")).registerSignInCommands,
  },
  { names: ["contexts"], load: async () => (await import("./commands/operators/contexts.ts")).registerContextCommands },
  {
    names: ["operator-actions"],
    load: async () => (await import("./commands/operators/operator-actions.ts")).registerOperatorActionCommands,
  },
  {
    names: ["completion"],
    load: async () => (await import("./commands/operators/completion.ts")).registerCompletionCommand,
  },
  { names: ["clients"], load: async () => (await import("./commands/identity/clients.ts")).registerClientCommands },
  { names: ["members"], load: async () => (await import("./commands/identity/members.ts")).registerMemberCommands },
  {
    names: ["credentials"],
    load: async () => (await import("./commands/identity/credentials.ts")).registerCredentialCommands,
  },
  { names: ["quotas"], load: async () => (await import("./commands/identity/quotas.ts")).registerQuotaCommands },
  {
    names: ["accounts", "sessions"],
    load: async () => (await import("./commands/identity/accounts.ts")).registerAccountCommands,
  },
  {
    names: ["migrations"],
    load: async () => (await import("./commands/identity/migrations.ts")).registerMigrationCommands,
  },
  { names: ["contacts"], load: async () => (await import("./commands/identity/contacts.ts")).registerContactCommands },
  { names: ["requests"], load: async () => (await import("./commands/identity/requests.ts")).registerRequestCommands },
  {
    names: ["approvals"],
    load: async () => (await import("./commands/identity/approvals.ts")).registerApprovalCommands,
  },
  { names: ["brands"], load: async () => (await import("./commands/identity/brands.ts")).registerBrandCommands },
  { names: ["usage"], load: async () => (await import("./commands/identity/usage.ts")).registerUsageCommand },
  {
    names: ["persons", "erasures"],
    extends: ["clients"],
    load: async () => (await import("./commands/identity/erasures.ts")).registerErasureCommands,
  },
  {
    names: ["image-presets", "files", "public-assets"],
    load: async () => (await import("./commands/files.ts")).registerFilesCommands,
  },
  {
    names: ["sender-profiles"],
    load: async () => (await import("./commands/notify-sender-profiles.ts")).registerSenderProfileCommands,
  },
  { names: ["endpoints"], load: async () => (await import("./commands/notify-endpoints.ts")).registerEndpointCommands },
  {
    names: ["suppressions"],
    load: async () => (await import("./commands/notify-suppressions.ts")).registerSuppressionCommands,
  },
  { names: ["catalog"], load: async () => (await import("./commands/notify-catalog.ts")).registerCatalogCommands },
  { names: ["captured"], load: async () => (await import("./commands/notify-captured.ts")).registerCapturedCommands },
  {
    names: ["deliveries"],
    load: async () => (await import("./commands/notify-deliveries.ts")).registerDeliveryCommands,
  },
  { names: ["audits"], load: async () => (await import("./commands/events/audits.ts")).registerAuditCommands },
  { names: ["events"], load: async () => (await import("./commands/events/tail.ts")).registerEventLogCommands },
  {
    names: ["listen", "trigger"],
    load: async () => (await import("./commands/events/listen.ts")).registerListenCommands,
  },
  { names: ["schedules"], load: async () => (await import("./commands/events/schedules.ts")).registerScheduleCommands },
  {
    names: ["subscriptions"],
    load: async () => (await import("./commands/events/subscriptions.ts")).registerSubscriptionCommands,
  },
  { names: ["campaigns"], load: async () => (await import("./commands/ads/campaigns.ts")).registerCampaignCommands },
  { names: ["ads"], load: async () => (await import("./commands/ads.ts")).registerAdsCommands },
  {
    names: ["consumers", "ad-servers"],
    load: async () => (await import("./commands/machines.ts")).registerMachineCommands,
  },
  { names: ["retention"], load: async () => (await import("./commands/retention.ts")).registerRetentionCommands },
  { names: ["find"], load: async () => (await import("./commands/find.ts")).registerFindCommand },
  {
    names: ["mcp"],
    load: async () => {
      const { registerMcpCommand } = await import("./commands/mcp.ts");
      return (program, ctl) => registerMcpCommand(program, ctl, { open: (own) => createProgram(() => own), invoke });
    },
  },
  {
    names: ["demo"],
    load: async () => {
      const { registerDemoCommands } = await import("./commands/demo.ts");
      return (program, ctl) => registerDemoCommands(program, ctl, invoke);
    },
  },
];

/**
 * Creates the CLI. Only the commands in `args` are loaded; for the others, it has the texts that help shows.
 * @param openCtl opens the dependencies of the loaded commands; not called if none is loaded
 * @param args the command line without the program's name; if absent, all commands are loaded
 */
export async function createProgram(openCtl: () => Ctl | Promise<Ctl>, args?: readonly string[]): Promise<Command> {
  const program = new Command("platformctl")
    .description("Operate the platform: projects, credentials, quotas, and the data of each service.")
    .version(version, "--version")
    .option("--json", "print one JSON document on stdout; default if stdout is not a terminal")
    .option("--context <name>", "platform to operate, as named in config.yaml (see platformctl contexts list)")
    .option("--reason <text>", "reason, which is kept in the record of operator actions")
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

Settings come from --context, from environment variables (IDENTITY_GRPC, …) or from the folder of the local stack. If nobody is signed in,
OPERATOR_TOKEN gives full access as break-glass, which is recorded and raises an alert.
Errors are printed to stderr, and the exit code is then 1.`,
    );
  const stubs = new Map<Command, string>();
  program.configureHelp({
    subcommandTerm: (command) => stubs.get(command) ?? new Help().subcommandTerm(command),
  });
  // Completion proposes all commands.
  const isNamed = (name: string): boolean => args === undefined || args.includes(name) || args.includes("completion");
  for (const { names, extends: extended = [], load } of modules) {
    if ([...names, ...extended].some(isNamed)) {
      (await load())(program, await openCtl());
      continue;
    }
    for (const name of names) {
      const { usage = "" }: Summary = topLevelCommands[name];
      stubs.set(topLevel(program, name), `${name} ${usage}`.trimEnd());
    }
  }
  return program;
}

/**
 * Runs one command inside this process and returns the value that it would print with --json.
 * @param args as on the command line, without the program's name
 */
export async function invoke(ctl: Ctl, args: readonly string[]): Promise<unknown> {
  let printed: unknown;
  const quiet: Ctl = {
    ...ctl,
    print: (value) => {
      printed = value;
    },
  };
  const program = await createProgram(() => quiet, args);
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    const waiting = waitingAct(error);
    if (waiting === null) throw error;
    return waiting;
  }
  return printed;
}
