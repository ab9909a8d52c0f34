import { ErasureAdminService, type ShowErasureResponse } from "@platform/proto/identity/v1/erasure_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { isoOrNull } from "../../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

/** `persons erase`, `clients erase` and `erasures …`. */
export function registerErasureCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(ErasureAdminService);

  topLevel(program, "persons")
    .command("erase")
    .description("Erase a person's account, addresses and legacy subjects in every service. Asks for --reason.")
    .option("--account <id>", "account id")
    .option("--email <address>", "or: an address of the person")
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
    .description("Disable a Project Client and erase what every service keeps of it. Asks for --reason.")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", '\nExample:\n  platformctl clients erase --client <id> --reason "contract ended"')
    .action(async ({ client }: { client: string }) => {
      const { erasureId } = await admin().eraseProjectClient({ projectClientId: client }, ctl.call());
      ctl.print({ erasure_id: erasureId });
    });

  const erasures = topLevel(program, "erasures");
  pageOptions(erasures.command("list"))
    .description("List erasures, newest first.")
    .option("--status <status>", "pending, running, done or failed")
    .addHelpText("after", "\nExample:\n  platformctl erasures list --status failed")
    .action(async (options: PageOptions & { status?: string }) => {
      const request = { status: options.status ?? "", ...readPage(options) };
      const page = await admin().listErasures(request, ctl.call());
      printPage(ctl, page.erasures.map(toPrint), page.nextCursor);
    });
  erasures
    .command("retry")
    .description("Try the parts of a failed erasure again.")
    .requiredOption("--erasure <id>", "as printed when it was begun")
    .addHelpText("after", "\nExample:\n  platformctl erasures retry --erasure <id>")
    .action(async ({ erasure }: { erasure: string }) => {
      await admin().retryErasure({ erasureId: erasure }, ctl.call());
      ctl.print({ id: erasure });
    });
  erasures
    .command("show")
    .description("Show how far an erasure is, service by service.")
    .requiredOption("--erasure <id>", "as printed when it was begun")
    .addHelpText("after", "\nExample:\n  platformctl erasures show --erasure <id>")
    .action(async ({ erasure }: { erasure: string }) => {
      const shown = await admin().showErasure({ erasureId: erasure }, ctl.call());
      ctl.print(toPrint(shown));
    });
}

function toPrint(erasure: ShowErasureResponse) {
  return {
    id: erasure.erasureId,
    kind: erasure.kind,
    status: erasure.status,
    steps: erasure.steps.map((step) => ({
      service: step.service,
      status: step.status,
      erased: step.erased,
      done_at: isoOrNull(step.doneAt),
      failures: step.failures,
      error: step.error ?? null,
    })),
    created_at: isoOrNull(erasure.createdAt),
    finished_at: isoOrNull(erasure.finishedAt),
  };
}
