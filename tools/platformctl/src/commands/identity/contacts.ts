import { contacts as table } from "@platform/contracts/operator/contacts";
import { ProjectContactAdminService } from "@platform/proto/identity/v1/project_contact_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

type RemoveOptions = {
  readonly contact?: string;
  readonly client?: string;
  readonly email?: string;
  readonly kind?: string;
};

/** Commands `contacts …`, for the people who receive emails about a Project Client. */
export function registerContactCommands(program: Command, ctl: Ctl): void {
  const contacts = topLevel(program, "contacts");
  const admin = () => ctl.connection("identity").service(ProjectContactAdminService);
  // A contact can be removed by address or by id, because people know the address, but lists show only a part of it.
  const operations = table.operations.filter(({ verb }) => verb !== "remove");
  registerResource(contacts, ctl, { ...table, operations });

  contacts
    .command("remove")
    .description("Remove a contact. It receives no further emails.")
    .option("--contact <id>", "contact id")
    .option("--client <id>", "Project Client id; requires --email")
    .option("--email <email>", "email address; requires --client")
    .option("--kind <kind>", "technical or business; default: both contacts with this address")
    .addHelpText(
      "after",
      `
Examples:
  platformctl contacts remove --client <client id> --email ops@example.com
  platformctl contacts remove --contact <contact id>`,
    )
    .action(async ({ contact, client, email, kind = "" }: RemoveOptions) => {
      if (contact !== undefined) {
        if (client !== undefined || email !== undefined || kind !== "")
          throw new UsageError("--contact cannot be combined with other options");
        await admin().removeProjectContact({ contactId: contact }, ctl.call());
        return ctl.print({ id: contact, removed: true });
      }
      if (client === undefined || email === undefined)
        throw new UsageError("give either --contact, or --client and --email");
      const request = { projectClientId: client, email, kind };
      const { removed } = await admin().removeProjectContactAddress(request, ctl.call(client));
      ctl.print({ removed });
    });
}
