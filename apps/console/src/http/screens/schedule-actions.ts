import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { html } from "@platform/kit/web/http";
import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { type RedriveRunsResponse, ScheduledRunAdminService } from "@platform/proto/events/v1/scheduled_run_admin";
import { facts, idLink } from "../pages/elements.ts";
import { overlapField, overlapSecondsOf } from "../pages/overlap.ts";
import { sinceOf } from "../pages/time-filter.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = ScheduledOperationAdminService.method;

const pageOf = (visit: Visit): string => `/schedules/${encodeURIComponent(visit.param("id"))}`;

const about =
  (text: string): Action["describe"] =>
  async (visit) => ({
    crumbs: [
      ["Schedules", `/schedules?client=${encodeURIComponent(visit.query("client"))}`],
      ["The operation", pageOf(visit)],
    ],
    what: html`<p>${text}</p>`,
  });

export const rotateSecret: Action = {
  path: "/schedules/:id/rotate-secret",
  title: "Rotate the secret",
  button: "Sign with the new secret",
  method: ScheduledRunAdminService.method.rotateScheduledSecret,
  describe: about(
    "From now on, calls of the operation are signed with the new secret. During the overlap, each call also has a signature by the old secret. The secret is encrypted and never shown.",
  ),
  fields: () => [
    {
      name: "secret",
      label: "New secret",
      hint: "The same secret that the project uses: 32 to 255 characters, or whsec_ followed by base64.",
      type: "password",
      isRequired: true,
      maxLength: 255,
    },
    overlapField("The old secret expires"),
  ],
  run: async (visit, options) => {
    await visit.ask(
      ScheduledRunAdminService.method.rotateScheduledSecret,
      { operationId: visit.param("id"), secret: visit.field("secret"), overlapSeconds: overlapSecondsOf(visit) },
      options,
    );
    return { redirect: pageOf(visit), notice: "Calls are signed with the new secret." };
  },
};

export const invoke: Action = {
  path: "/schedules/:id/invoke",
  title: "Run once now",
  button: "Run the operation now",
  method: admin.invokeScheduledOperation,
  isOnce: true,
  describe: about("Calls the operation's URL once now, in addition to its schedule."),
  run: async (visit, options) => {
    await visit.ask(admin.invokeScheduledOperation, { operationId: visit.param("id") }, options);
    return { redirect: pageOf(visit), notice: "The run has been started." };
  },
};

export const redriveOne: Action = {
  path: "/runs/:id/redrive",
  title: "Run again",
  button: "Run the operation again",
  method: admin.redriveScheduledRun,
  describe: async (visit) => ({
    crumbs: [
      ["Schedules", "/schedules"],
      ["The operation", `/schedules/${encodeURIComponent(visit.query("operation"))}`],
    ],
    what: html`<p>Run <code>${visit.param("id")}</code> runs again with the same invocation id and a full set of attempts.</p>`,
  }),
  run: async (visit, options) => {
    await visit.ask(admin.redriveScheduledRun, { invocationId: visit.param("id") }, options);
    return {
      redirect: `/schedules/${encodeURIComponent(visit.query("operation"))}`,
      notice: "The run has been queued again.",
    };
  },
};

/** Redrives all matching runs, batch by batch. With `dryRun`, only counts them. */
async function redrive(visit: Visit, dryRun: boolean, options: { readonly reason?: string }) {
  const since = sinceOf(visit.query("since") || "24h");
  const until = timestampFromDate(new Date());
  const sum = { matched: 0, redriven: 0, skipped: 0 };
  for (let cursor = "", isLast = false; !isLast; ) {
    const answer: RedriveRunsResponse = await visit.ask(
      ScheduledRunAdminService.method.redriveRuns,
      { projectClientId: visit.query("client"), ...since, until, dryRun, limit: 100, cursor },
      options,
    );
    sum.matched += answer.matched;
    sum.redriven += answer.redriven;
    sum.skipped += answer.skipped;
    cursor = answer.nextCursor;
    isLast = cursor === "";
  }
  return sum;
}

export const redriveAll: Action = {
  path: "/schedules/redrive",
  title: "Retry failed runs",
  button: "Continue",
  method: ScheduledRunAdminService.method.redriveRuns,
  fields: () => [
    {
      name: "mode",
      label: "Action",
      choices: [
        ["count", "Count only"],
        ["run", "Retry all of them"],
      ],
    },
  ],
  describe: async (visit) => ({
    crumbs: [["Failed runs", `/schedules/failed?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>Retries the runs of this project that failed in the last ${visit.query("since") || "24h"}. Runs whose operation is disabled or no longer exists
are skipped.</p>${facts([["Project", idLink("/clients", visit.query("client"))]])}`,
  }),
  run: async (visit, options) => {
    const isCount = visit.field("mode") !== "run";
    const { matched, redriven, skipped } = await redrive(visit, isCount, options);
    const notice = isCount
      ? `${matched} failed runs match: ${redriven} can be retried, ${skipped} cannot. Nothing was done.`
      : `${matched} failed runs matched: ${redriven} are queued again, ${skipped} were skipped.`;
    return {
      redirect: isCount ? visit.here({}) : `/schedules/failed?client=${encodeURIComponent(visit.query("client"))}`,
      notice,
    };
  },
};
