import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerAccountCommands } from "./identity/accounts.ts";
import { registerClientCommands } from "./identity/clients.ts";
import { registerCredentialCommands } from "./identity/credentials.ts";
import { registerErasureCommands } from "./identity/erasures.ts";
import { registerMigrationCommands } from "./identity/migrations.ts";
import { registerQuotaCommands } from "./identity/quotas.ts";
import { registerUsageCommand } from "./identity/usage.ts";

/** Commands of what identity-svc owns. */
export function registerIdentityCommands(program: Command, ctl: Ctl): void {
  registerClientCommands(program, ctl);
  registerCredentialCommands(program, ctl);
  registerQuotaCommands(program, ctl);
  registerAccountCommands(program, ctl);
  registerMigrationCommands(program, ctl);
  registerUsageCommand(program, ctl);
  registerErasureCommands(program, ctl);
}
