import { signingKeys } from "@platform/contracts/operator/signing-keys";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";

/** Commands of signing keys. */
export function registerSigningKeyCommands(ads: Command, ctl: Ctl): void {
  const keys = ads.command("keys").description("Ed25519 keys that sign decision tokens.");
  registerResource(keys, ctl, signingKeys);
}
