import { endpoints } from "@platform/contracts/operator/endpoints";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { topLevel } from "../top-level.ts";

/** Commands `endpoints …`, for Delivery Endpoints. */
export function registerEndpointCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "endpoints"), ctl, endpoints);
}
