import { fromBinary, type Message, toJson } from "@bufbuild/protobuf";
import { approvals } from "@platform/contracts/operator/approvals";
import { subjectOf } from "@platform/contracts/operator/resource";
import { secondPersonAct } from "@platform/contracts/operator/second-person";
import type { ServiceName } from "@platform/contracts/services";
import { approvalHeader, type CallOptions } from "@platform/kit/rpc/client";
import { ApprovalAdminService } from "@platform/proto/identity/v1/approval_admin";
import type { Command } from "commander";
import type { Ctl, GlobalOptions } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";

/** Commands `approvals …`, for acts that need the approval of a second person. */
export function registerApprovalCommands(program: Command, ctl: Ctl): void {
  const group = topLevel(program, "approvals");
  registerResource(group, ctl, approvals);
  group
    .command("approve")
    .description("Approve an act that somebody else asked for, and run it. It runs only once.")
    .requiredOption("--approval <id>", subjectOf(approvals).explanation)
    .addHelpText(
      "after",
      `
The act is recorded under your name and that of the person who asked for it. Without --reason, theirs is recorded.

Example:
  platformctl approvals approve --approval <id>`,
    )
    .action(async ({ approval: approvalId }: { approval: string }, command: Command) => {
      const { reason } = command.optsWithGlobals<GlobalOptions>();
      ctl.print(await approve(ctl, approvalId, reason));
    });
}

/** Runs the act of an approval with the stored request. The service of the RPC checks that both requests are equal. */
async function approve(ctl: Ctl, approvalId: string, reason: string | undefined): Promise<object> {
  const { approval } = await ctl
    .connection("identity")
    .service(ApprovalAdminService)
    .getApproval({ approvalId }, ctl.call());
  const method = secondPersonAct(approval?.rpc ?? "");
  if (approval === undefined || method === undefined)
    throw new Error(`this version of platformctl does not know the act ${approval?.act}; update it`);
  const why = reason ?? approval.reason;
  const metadata = {
    [approvalHeader]: approval.id,
    // gRPC metadata must be ASCII, but a reason may contain any text.
    ...(why === "" ? {} : { "x-operator-reason": encodeURIComponent(why) }),
  };
  const [, service] = method.parent.typeName.split(".");
  const client = ctl.connection(service as ServiceName).service(method.parent) as unknown as Readonly<
    Record<string, (request: object, options: CallOptions) => Promise<object>>
  >;
  const reply = await client[method.localName]?.(fromBinary(method.input, approval.request), {
    ...ctl.call(approval.projectClientId === "" ? undefined : approval.projectClientId),
    metadata,
  });
  const result = toJson(method.output, reply as Message, { useProtoFieldName: true });
  return { id: approval.id, approved: true, act: approval.act, result };
}
