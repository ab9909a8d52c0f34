import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { steadyNowMs } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import { ProjectAuditPruneService } from "@platform/proto/events/v1/audit_prune_admin";
import { type ProjectAudit, ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { Command } from "commander";
import { untilAnswered } from "../../bulk.ts";
import type { Ctl } from "../../ctl.ts";
import { isoOrNull, readInteger, readTime, readTimestamp } from "../../options.ts";
import { createProgress } from "../../progress.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

const pageMax = 1_000;

type ListOptions = {
  readonly client: string;
  readonly after: string;
  readonly actor?: string;
  readonly action?: string;
  readonly resourceType?: string;
  readonly resourceId?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
};

/** Commands of Project Audits. */
export function registerAuditCommands(program: Command, ctl: Ctl): void {
  const audits = topLevel(program, "audits");
  const admin = () => ctl.connection("events").service(ProjectAuditAdminService);
  const pruner = () => ctl.connection("events").service(ProjectAuditPruneService);

  audits
    .command("list")
    .description("Print the Project Audits of a project, oldest first.")
    .requiredOption("--client <id>", "Project Client id")
    .option("--after <seq>", "only records after this sequence number", "0")
    .option("--actor <id>", "only records of this actor")
    .option("--action <action>", "only records of this action")
    .option("--resource-type <type>", "only records about resources of this type")
    .option("--resource-id <id>", "only records about this resource")
    .option("--since <time>", "recorded at or after this time: RFC 3339, or an age such as 2h or 7d")
    .option("--until <time>", "recorded before this time")
    .option("--limit <n>", "maximum number of records, 1 to 200; default: all")
    .addHelpText("after", "\nExample:\n  platformctl audits list --client <client id> --actor user:42 --since 7d")
    .action(async (options: ListOptions) => {
      if (!/^\d{1,15}$/.test(options.after)) throw new UsageError("--after takes a seq: a whole number from 0");
      const limit = options.limit === undefined ? undefined : readInteger("--limit", options.limit, 1, 200);
      const rows: AuditRow[] = [];
      for await (const row of readAudits(options, BigInt(options.after), limit)) rows.push(row);
      if (rows.length === 0) await requireClient(options.client);
      ctl.print(rows);
    });

  audits
    .command("export")
    .description(
      "Print all Project Audits of a project, one JSON object per line. If you have the role security, this also confirms that they are stored elsewhere.",
    )
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl audits export --client <client id> > audits.ndjson")
    .action(async ({ client }: { client: string }) => {
      let last: AuditRow | undefined;
      for await (const row of readAudits({ client }, 0n)) {
        ctl.printLine(row);
        last = row;
      }
      if (last === undefined) return requireClient(client);
      try {
        await pruner().markProjectAuditsExported(
          { projectClientId: client, throughSeq: BigInt(last.seq), hash: last.hash },
          ctl.call(),
        );
      } catch (error) {
        if (!isServiceError(error, "permission_denied")) throw error;
        process.stderr.write(
          "platformctl: exported; `audits prune` requires an export by someone with the role security\n",
        );
      }
    });

  audits
    .command("prune")
    .description(
      "Erase the contents of a project's audits before a time. They must have been exported. The chain stays valid. Requires --reason.",
    )
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--until <time>", "audits recorded before this time: RFC 3339, or an age such as 365d")
    .addHelpText(
      "after",
      '\nExample:\n  platformctl audits prune --client <client id> --until 730d --reason "retention"',
    )
    .action(async (options: { client: string; until: string }) => {
      const request = { projectClientId: options.client, until: timestampFromDate(readTime("--until", options.until)) };
      const progress = createProgress("records");
      const sum = { pruned: 0, through_seq: 0 };
      for (let isDone = false; !isDone; ) {
        const { pruned, throughSeq, done } = await untilAnswered(() =>
          pruner().pruneProjectAudits(request, ctl.call()),
        );
        sum.pruned += pruned;
        sum.through_seq = Number(throughSeq);
        progress.show(sum.pruned);
        isDone = done;
      }
      progress.end();
      ctl.print(sum);
    });

  audits
    .command("verify")
    .description(
      "Verify the audit chain of a project. This detects changed, removed and reordered records, and a truncated end. The exit code is 1 if the chain is not valid.",
    )
    .requiredOption("--client <id>", "Project Client id")
    .option("--head <hash>", "an earlier head that you stored elsewhere; the chain must still contain it")
    .addHelpText(
      "after",
      `
Examples:
  platformctl audits verify --client <client id>
  platformctl audits verify --client <client id> --head <hash>

Without --head, the chain is compared with the head in the database. Someone who can write to the whole database can replace the chain
and its head; only a head that is stored elsewhere detects this. Heads are logged and published daily (docs/events.md).`,
    )
    .action(async ({ client, head }: { client: string; head?: string }) => {
      if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
        throw new UsageError("--head takes a hash: 64 lower-case hexadecimal digits");
      // The service reads the whole chain, which may have millions of records, so this call may take ten minutes.
      const call = { ...ctl.call(), deadlineMs: steadyNowMs() + 600_000 };
      const result = await admin().verifyProjectAudits(
        { projectClientId: client, ...defined({ keptHead: head }) },
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

  /**
   * Throws the error of identity-svc if the client does not exist. A client without audits verifies successfully, so a mistyped id would otherwise look
   * verified.
   */
  const requireClient = async (client: string): Promise<void> => {
    const clients = ctl.connection("identity").service(ProjectClientAdminService);
    await clients.showProjectClient({ projectClientId: client }, ctl.call());
  };

  /** Reads a client's records in order, page by page. */
  async function* readAudits(
    options: Omit<ListOptions, "after" | "limit">,
    after: bigint,
    limit = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<AuditRow> {
    const since = readTimestamp("--since", options.since);
    const until = readTimestamp("--until", options.until);
    const filter = {
      projectClientId: options.client,
      actorId: options.actor ?? "",
      action: options.action ?? "",
      resourceType: options.resourceType ?? "",
      resourceId: options.resourceId ?? "",
      ...defined({ since, until }),
    };
    for (let afterSeq = after, left = limit; left > 0; ) {
      const asked = Math.min(pageMax, left);
      const { audits: page } = await admin().listProjectAudits({ ...filter, afterSeq, limit: asked }, ctl.call());
      for (const audit of page) yield auditRow(audit);
      const last = page.at(-1);
      if (last === undefined || page.length < asked) return;
      afterSeq = last.seq;
      left -= page.length;
    }
  }
}

type AuditRow = ReturnType<typeof auditRow>;

function auditRow(audit: ProjectAudit) {
  return {
    seq: Number(audit.seq),
    id: audit.id,
    // The fields are empty after the person was erased.
    actor_id: audit.actorId === "" ? null : audit.actorId,
    action: audit.action,
    resource_type: audit.resourceType,
    resource_id: audit.resourceId === "" ? null : audit.resourceId,
    outcome: audit.outcome,
    recorded_at: isoOrNull(audit.recordedAt),
    hash: audit.hash,
  };
}
