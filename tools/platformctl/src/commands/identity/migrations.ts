import { migrations } from "@platform/contracts/operator/migrations";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";

/** Commands of Identity Migration Transactions. */
export function registerMigrationCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "migrations"), ctl, migrations);
}
