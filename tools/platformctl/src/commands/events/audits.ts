import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { UsageError } from "../../usage-error.ts";

const pageMax = 1_000;

/** Commands of Project Audits. */
export function registerAuditCommands(program: Command, ctl: Ctl): void {
  const audits = program.command("audits").description("Read and prove the Project Audits of a Project Client.");
  const admin = () => ctl.connection("events").service(ProjectAuditAdminService);

  audits
    .command("list")
    .description("Print a client's Project Audits, oldest first.")
    .requiredOption("--client <id>", "Project Client id")
    .option("--after <seq>", "only records after this seq", "0")
    .addHelpText("after", "\nExample:\n  platformctl audits list --client <client id> --after 1000")
    .action(async (options: { client: string; after: string }) => {
      if (!/^\d{1,15}$/.test(options.after)) throw new UsageError("--after takes a seq: a whole number from 0");
      const rows = await listAll(options.client, BigInt(options.after));
      if (rows.length === 0) await requireClient(options.client);
      ctl.print(rows);
    });

  audits
    .command("verify")
    .description(
      "Prove a client's chain: shows any edit, removal, reordering and a cut tail. Exit code 1 when it does not hold.",
    )
    .requiredOption("--client <id>", "Project Client id")
    .option("--head <hash>", "an earlier head that you have kept elsewhere: the chain must still contain it")
    .addHelpText(
      "after",
      `
Examples:
  platformctl audits verify --client <client id>
  platformctl audits verify --client <client id> --head <hash>

Without --head the chain is compared with what the database itself says. Whoever can write all of the database can write it
anew, head included; only a head kept elsewhere shows that. Heads are logged and published daily (docs/events.md).`,
    )
    .action(async ({ client, head }: { client: string; head?: string }) => {
      if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
        throw new UsageError("--head takes a hash: 64 lower-case hex");
      // A chain of millions is read as a whole, so this call has ten minutes.
      const call = { ...ctl.call(), deadlineMs: Date.now() + 600_000 };
      const result = await admin().verifyProjectAudits(
        { projectClientId: client, ...(head === undefined ? {} : { keptHead: head }) },
        call,
      );
      if (result.valid) {
        if (result.length === 0n) await requireClient(client);
        ctl.print({ valid: true, length: Number(result.length) }, () => `valid: ${result.length} records`);
        return;
      }
      process.exitCode = 1;
      const { reason } = result;
      const seq = Number(result.brokenAtSeq);
      ctl.print({ valid: false, broken_at_seq: seq, reason }, () => `NOT VALID: ${reason} at seq ${seq}`);
    });

  /** A client that is none has no audits either: a mistyped id must not read like a proof. Throws what identity-svc says. */
  const requireClient = async (client: string): Promise<void> => {
    const clients = ctl.connection("identity").service(ProjectClientAdminService);
    await clients.showProjectClient({ projectClientId: client }, ctl.call());
  };

  const listAll = async (client: string, after: bigint): Promise<unknown[]> => {
    const rows: unknown[] = [];
    for (let afterSeq = after; ; ) {
      const page = await admin().listProjectAudits({ projectClientId: client, afterSeq, limit: pageMax }, ctl.call());
      for (const audit of page.audits) {
        rows.push({
          seq: Number(audit.seq),
          id: audit.id,
          actor_id: audit.actorId,
          action: audit.action,
          resource_type: audit.resourceType,
          resource_id: audit.resourceId,
          outcome: audit.outcome,
          recorded_at: audit.recordedAt === undefined ? null : timestampDate(audit.recordedAt).toISOString(),
          hash: audit.hash,
        });
      }
      const last = page.audits.at(-1);
      if (last === undefined || page.audits.length < pageMax) return rows;
      afterSeq = last.seq;
    }
  };
}
