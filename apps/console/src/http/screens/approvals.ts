import { fromBinary } from "@bufbuild/protobuf";
import { approvals as table } from "@platform/contracts/operator/approvals";
import { secondPersonAct } from "@platform/contracts/operator/second-person";
import { html } from "@platform/kit/web/http";
import { breakGlassSubject } from "@platform/operator-plane/operators";
import { type Approval, ApprovalAdminService } from "@platform/proto/identity/v1/approval_admin";
import { PageProblem } from "../page-problem.ts";
import { facts } from "../pages/elements.ts";
import { icon } from "../pages/icon.ts";
import { readerOf } from "../resource-read.ts";
import { factsOf } from "../resource-row.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Action, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const read = readerOf(table);

/** Runs an approved action. The service that owns the action decides whether this person may approve it. */
const approve: Action = {
  path: "/approvals/:id/approve",
  title: "Approve",
  button: "Approve and run the act",
  isDanger: true,
  // The page requires permission to reject. A person who may reject an action may also approve it, unless they
  // requested it.
  method: ApprovalAdminService.method.rejectApproval,
  describe: async (visit) => {
    const { row } = await read(visit);
    return {
      crumbs: [[table.title, table.paths.list]],
      what: html`<p>The act runs now, and only once. It is recorded under your name and that of the person who asked for it. If you give no reason, theirs is recorded.</p>${facts(factsOf(table, [...table.shown.question, "request"], row))}`,
    };
  },
  run: async (visit, { reason }) => {
    // The type is not known here, but the row of this table is an Approval.
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

/**
 * Returns whether the person requested the action and therefore may not approve it. The service makes the final
 * decision. Like the service, this counts the break-glass token and all people with the role root as one person.
 */
const isOwn = ({ askedBy }: Approval, { session: { subject, roles } }: Visit): boolean =>
  askedBy === subject || (askedBy === breakGlassSubject && roles.includes("root"));

const needsAnother = html`<p class="alert alert-info">${icon("clock")} Another person must approve this, because you asked for it.</p>`;

const screen = screenOf(table, {
  acts: (approval: Approval, visit) => (approval.status === "pending" && !isOwn(approval, visit) ? [approve] : []),
  show: async (visit, approval: Approval) =>
    html`${approval.status === "pending" && isOwn(approval, visit) && needsAnother}${rowFacts(table, approval)}`,
});

/** Actions that wait for the approval of a second person. */
export const approvals: Screen = { ...screen, actions: [approve, ...(screen.actions ?? [])] };
