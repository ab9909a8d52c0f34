import { ScheduledOperationAdminService, ScheduledOperationSchema } from "@platform/proto/events/v1/events_admin";
import { ScheduledCallAdminService } from "@platform/proto/events/v1/scheduled_call_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";
import { statusReasonColumns } from "./status-reason.ts";

const rpcs = ScheduledOperationAdminService.method;
const calls = ScheduledCallAdminService.method;

const overlap = {
  field: "overlap",
  label: "If the previous run is still in progress",
  explanation:
    "allow: start the new run anyway (default); skip: skip the new run; queue: start it when the previous run has ended",
  placeholder: "policy",
  choices: ["allow", "skip", "queue"],
} as const;

export const schedules = resource({
  name: "schedules",
  noun: "operation",
  title: "Schedules",
  row: ScheduledOperationSchema,
  subject: { field: "operationId", option: "operation", explanation: "scheduled operation id" },
  paths: { list: "/schedules" },
  named: "name",
  columns: [
    { field: "id", title: "Operation", kind: "id", page: "/schedules" },
    { field: "name", title: "Name" },
    { field: "url", title: "URL", kind: "code" },
    { field: "maxAttempts", title: "Attempts" },
    { field: "status", title: "Status", kind: "state" },
    { field: "cron", title: "Schedule", kind: "code" },
    { field: "timezone", title: "Time zone" },
    { field: "nextDueAt", title: "Due", kind: "time" },
    { field: "nextDueTimes", title: "Next due times", kind: "time" },
    { field: "overlap", title: "If the previous run is still in progress", isOmittedFor: "allow" },
    { field: "headerNames", key: "headers", title: "Request headers", kind: "texts" },
    { field: "perSecond", key: "rate", title: "Calls per second" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients", isOnPagesOnly: true },
    { field: "statusReason", title: "Disabled by", columns: statusReasonColumns, isOnPagesOnly: true },
  ],
  shown: {
    list: ["id", "name", "status", "cron", "timezone", "nextDueAt", "url"],
    page: [
      "status",
      "url",
      "cron",
      "timezone",
      "nextDueAt",
      "overlap",
      "maxAttempts",
      "headers",
      "rate",
      "projectClientId",
      "statusReason",
    ],
    question: ["name", "url", "cron", "timezone"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listScheduledOperations,
      does: "list",
      summary: "List a project's scheduled operations.",
      prints: "array",
      empty: "This project has no scheduled operations. It registers one with POST /api/v1/scheduled-operations.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "show",
      rpc: rpcs.getScheduledOperation,
      does: "show",
      summary: "Show a scheduled operation and its next due times.",
      example: "--operation <id>",
    }),
    operation({
      verb: "set-cron",
      rpc: rpcs.setScheduledOperationCron,
      does: "act",
      summary:
        "Set the schedule of an operation, replacing any existing one. It takes effect now, and each due time runs once.",
      title: "Set the schedule",
      notice: "The schedule is set.",
      fields: [
        {
          field: "cron",
          label: "Cron",
          explanation: "five fields: minute, hour, day of month, month, day of week",
          placeholder: "fields",
          maxLength: 120,
          isRequired: true,
        },
        {
          field: "timezone",
          label: "Time zone",
          explanation: "the IANA time zone of the cron fields, such as Asia/Tokyo",
          placeholder: "name",
          maxLength: 60,
          isRequired: true,
        },
        overlap,
      ],
      example: [
        '--operation <id> --cron "*/5 * * * *" --timezone Asia/Tokyo',
        '--operation <id> --cron "30 2 * * 1-5" --timezone Europe/Berlin',
      ],
      remark:
        "When daylight saving time changes, a fixed time in the skipped hour runs in the first minute after that hour, and a fixed time in the repeated hour runs once.",
    }),
    operation({
      verb: "set-overlap",
      rpc: rpcs.setScheduledOperationOverlap,
      does: "act",
      summary: "Set what happens if a run is due while the previous run is still in progress.",
      title: "Set the overlap policy",
      notice: "The overlap policy is set.",
      fields: [{ ...overlap, isRequired: true }],
      example: "--operation <id> --overlap skip",
    }),
    operation({
      verb: "set-headers",
      rpc: calls.setScheduledOperationHeaders,
      does: "act",
      summary: "Set the headers that are sent with each call of an operation. They replace all existing ones.",
      title: "Set the headers",
      notice: "The headers are set.",
      fields: [
        {
          field: "headersJson",
          option: "headers",
          label: "Headers",
          explanation: 'a JSON object with up to 10 headers, such as {"X-Environment": "blue"}; {} removes all headers',
          placeholder: "json",
          isRequired: true,
          isSecret: true,
        },
      ],
      example: [
        `--operation <id> --headers '{"X-Environment": "blue"}'`,
        "--operation <id> --headers - < headers.json",
      ],
      remark:
        "Values are encrypted and never shown again. You cannot set hop-by-hop headers such as Connection, or headers that the platform uses to frame or sign a call.",
    }),
    operation({
      verb: "set-rate",
      rpc: calls.setScheduledOperationRate,
      does: "act",
      summary:
        "Limit the calls of an operation per second, including those for its subscriptions. Calls beyond the limit wait.",
      title: "Set the rate limit",
      notice: "The rate limit is set.",
      fields: [
        {
          field: "perSecond",
          label: "Calls per second",
          explanation: "1 to 1000; 0 removes the limit",
          isRequired: true,
        },
      ],
      example: "--operation <id> --per-second 5",
    }),
    operation({
      verb: "run-at",
      rpc: calls.runScheduledOperationAt,
      does: "act",
      summary: "Schedule one additional run of an operation at a given time.",
      title: "Run once at a given time",
      button: "Schedule the run",
      notice: "The run is scheduled.",
      prints: ["invocation_id"],
      also: { invocation_id: { reply: "invocationId" } },
      isOnce: true,
      fields: [
        {
          field: "at",
          label: "Time",
          explanation: "in the future, at most 366 days ahead, such as 2027-01-31T09:00:00Z",
          isRequired: true,
        },
      ],
      example: "--operation <id> --at 2027-01-31T09:00:00Z",
      remark: "If the operation is disabled at that time, the run is skipped.",
    }),
    operation({
      verb: "enable",
      rpc: rpcs.enableScheduledOperation,
      does: "act",
      summary: "Enable a disabled operation. Its schedule continues from now; missed due times are not made up.",
      button: "Enable the operation",
      notice: "The operation is enabled.",
      offeredIn: ["disabled"],
      example: "--operation <id>",
    }),
    operation({
      verb: "disable",
      rpc: rpcs.disableScheduledOperation,
      does: "act",
      summary: "Disable an operation. It is not called until it is enabled again.",
      button: "Disable the operation",
      notice: "The operation is disabled.",
      isDanger: true,
      offeredIn: ["active"],
      example: "--operation <id>",
    }),
  ],
});
