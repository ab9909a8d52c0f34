import { erasures } from "@platform/contracts/operator/erasures";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

/** Commands `persons erase`, `clients erase` and `erasures …`. */
export function registerErasureCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(ErasureAdminService);

  topLevel(program, "persons")
    .command("erase")
    .description("Erase a person's account, addresses and legacy subjects in every service. Requires --reason.")
    .option("--account <id>", "account id")
    .option("--email <address>", "an address of the person, instead of --account")
    .addHelpText(
      "after",
      '\nExample:\n  platformctl persons erase --account <id> --reason "request of 2027-01-31, case 4711"',
    )
    .action(async ({ account = "", email = "" }: { account?: string; email?: string }) => {
      if ((account === "") === (email === "")) throw new UsageError("give either --account or --email");
      const { erasureId } = await admin().erasePerson({ accountId: account, email }, ctl.call());
      ctl.print({ erasure_id: erasureId });
    });

  program.commands
    .find((command) => command.name() === "clients")
    ?.command("erase")
    .description("Disable a project and erase its data in every service. Requires --reason.")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", '\nExample:\n  platformctl clients erase --client <id> --reason "contract ended"')
    .action(async ({ client }: { client: string }) => {
      const { erasureId } = await admin().eraseProjectClient({ projectClientId: client }, ctl.call());
      ctl.print({ erasure_id: erasureId });
    });

  registerResource(topLevel(program, "erasures"), ctl, erasures);
}
