import { brands } from "@platform/contracts/operator/brands";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";

/** Commands of the brands of Project Clients. */
export function registerBrandCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "brands"), ctl, brands);
}
