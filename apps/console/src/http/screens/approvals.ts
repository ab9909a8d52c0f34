import { fromBinary } from "@bufbuild/protobuf";
import { approvals as table } from "@platform/contracts/operator/approvals";
import { secondPersonAct } from "@platform/contracts/operator/second-person";
import { html } from "@platform/kit/web/http";
import { type Approval, ApprovalAdminService } from "@platform/proto/identity/v1/approval_admin";
import { PageProblem } from "../page-problem.ts";
import { facts } from "../pages/elements.ts";
import { readerOf } from "../resource-read.ts";
import { factsOf } from "../resource-row.ts";
import { screenOf } from "../resource-screen.ts";
import type { Action, Screen } from "../screen.ts";

const read = readerOf(table);

/** Runs the act that an approval was asked for. The service of the act decides whether this person may. */
const approve: Action = {
  path: "/approvals/:id/approve",
  title: "Approve",
  button: "Approve and run the act",
  isDanger: true,
  // A person who may reject an act may approve it, unless they asked for it.
  method: ApprovalAdminService.method.rejectApproval,
  describe: async (visit) => {
    const { row } = await read(visit);
    return {
      crumbs: [[table.title, table.paths.list]],
      what: html`<p>The act runs now, and only once. It is recorded under your name and that of the person who asked for it. If you give no reason, theirs is recorded.</p>${facts(factsOf(table, [...table.shown.question, "request"], row))}`,
    };
  },
  run: async (visit, { reason }) => {
    // The row of the table is the message.
    const approval = (await read(visit)).row as unknown as Approval;
    const method = secondPersonAct(approval.rpc);
    if (method === undefined)
      throw new PageProblem(422, "This cannot be done", `This version of the console does not know ${approval.act}.`);
    await visit.ask(method, fromBinary(method.input, approval.request), {
      reason: reason ?? approval.reason,
      approvalId: approval.id,
    });
    visit.clients.forget();
    return { redirect: `${table.paths.one}/${approval.id}`, notice: "The act was approved and has run." };
  },
};

const screen = screenOf(table, {
  acts: ({ status }: Approval) => (status === "pending" ? [approve] : []),
});

/** Acts that wait for a second person. */
export const approvals: Screen = { ...screen, actions: [approve, ...(screen.actions ?? [])] };
