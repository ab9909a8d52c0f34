import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";

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
      if (!/^\d{1,15}$/.test(options.after)) throw new Error("--after takes a seq: a whole number from 0");
      ctl.print(await listAll(options.client, BigInt(options.after)));
    });

  audits
    .command("verify")
    .description(
      "Prove a client's chain: shows any edit, removal, reordering and a cut tail. Exit code 1 when it does not hold.",
    )
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl audits verify --client <client id>")
    .action(async ({ client }: { client: string }) => {
      // A chain of millions is read as a whole, so this call has ten minutes.
      const call = { ...ctl.call(), deadlineMs: Date.now() + 600_000 };
      const result = await admin().verifyProjectAudits({ projectClientId: client }, call);
      if (result.valid) {
        ctl.print({ valid: true, length: Number(result.length) }, () => `valid: ${result.length} records`);
        return;
      }
      process.exitCode = 1;
      const { reason } = result;
      const seq = Number(result.brokenAtSeq);
      ctl.print({ valid: false, broken_at_seq: seq, reason }, () => `NOT VALID: ${reason} at seq ${seq}`);
    });

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
