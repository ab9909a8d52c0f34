import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type ServiceName, serviceNames } from "@platform/contracts/services";
import { defined } from "@platform/kit/process/fields";
import { type OperatorAction, OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { readTimestamp } from "../../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";
import { verifyOperatorActions } from "./verify-operator-actions.ts";

type ListOptions = PageOptions & {
  readonly who?: string;
  readonly rpc?: string;
  readonly client?: string;
  readonly since?: string;
  readonly correlationId?: string;
};

/** Commands `operator-actions …`, for the record of operator actions. */
export function registerOperatorActionCommands(program: Command, ctl: Ctl): void {
  const actions = topLevel(program, "operator-actions");

  pageOptions(actions.command("list"))
    .description("List the operator actions of all services, newest first.")
    .option("--who <subject>", "only actions of this person, or break-glass")
    .option("--rpc <name>", "only actions by this RPC, such as SetQuota, or its full name")
    .option("--client <id>", "only actions for the project with this Project Client id")
    .option("--since <time>", "only actions at or after this time: RFC 3339, or an age such as 2h or 7d")
    .option("--correlation-id <id>", "only actions of the request with this correlation id")
    .addHelpText("after", "\nExample:\n  platformctl operator-actions list --rpc SetQuota --client <id> --since 7d")
    .action(async (options: ListOptions) => {
      const { limit, cursor } = readPage(options);
      const { items, nextCursor } = await listActions(ctl, {
        limit,
        cursor,
        who: options.who ?? "",
        rpc: options.rpc ?? "",
        clientId: options.client ?? "",
        since: readTimestamp("--since", options.since),
        correlationId: options.correlationId ?? "",
      });
      printPage(ctl, items.map(actionRow), nextCursor);
    });

  actions
    .command("verify")
    .description("Verify that the record is complete and unaltered. The exit code is 1 if it is not.")
    .action(async () => {
      const result = await verifyOperatorActions(ctl);
      if (!result.valid) process.exitCode = 1;
      ctl.print(result);
    });
}

type ListRequest = {
  readonly limit: number;
  readonly cursor: string;
  readonly who: string;
  readonly rpc: string;
  readonly clientId: string;
  readonly since: ReturnType<typeof readTimestamp>;
  readonly correlationId: string;
};

/** Reads one page of the actions of all services. Ids sort by time, so the id of the last action is the cursor for every service. */
async function listActions(ctl: Ctl, { since, ...request }: ListRequest) {
  const pages = await Promise.all(
    serviceNames.map((service) => listOf(ctl, service, { ...request, ...defined({ since }) })),
  );
  const all = pages.flatMap(({ actions }) => actions).sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = all.slice(0, request.limit);
  const isMore = all.length > request.limit || pages.some(({ nextCursor }) => nextCursor !== "");
  return { items, nextCursor: isMore ? (items.at(-1)?.id ?? "") : "" };
}

const listOf = (ctl: Ctl, service: ServiceName, request: object) =>
  ctl.connection(service).service(OperatorActionAdminService).listOperatorActions(request, ctl.call());

function actionRow(action: OperatorAction) {
  return {
    id: action.id,
    at: action.at === undefined ? null : timestampDate(action.at).toISOString(),
    who: action.who,
    roles: action.roles,
    rpc: action.rpc,
    client_id: action.clientId ?? null,
    resource: action.resource ?? null,
    reason: action.reason ?? null,
    correlation_id: action.correlationId,
    outcome: action.outcome,
    error: action.error ?? null,
    via: action.via ?? null,
    asked_by: action.askedBy ?? null,
    request: JSON.parse(action.requestJson) as unknown,
  };
}
