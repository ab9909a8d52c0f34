import { ScheduledOperationAdminService, ScheduledOperationSchema } from "@platform/proto/events/v1/events_admin";
import { ScheduledCallAdminService } from "@platform/proto/events/v1/scheduled_call_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";
import { statusReasonColumns } from "./status-reason.ts";

const rpcs = ScheduledOperationAdminService.method;
const calls = ScheduledCallAdminService.method;

const overlap = {
  field: "overlap",
  label: "A run that is due meanwhile",
  explanation: "allow: both are made (default); skip: the later is not; queue: the later is made after it",
  placeholder: "policy",
  choices: ["allow", "skip", "queue"],
} as const;

export const schedules = resource({
  name: "schedules",
  noun: "operation",
  title: "Schedules",
  row: ScheduledOperationSchema,
  subject: { field: "operationId", option: "operation", explanation: "scheduled operation id" },
  paths: { list: "/schedules", one: "/schedules" },
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
    { field: "overlap", title: "A run that is due meanwhile", isOmittedFor: "allow" },
    { field: "headerNames", key: "headers", title: "Headers of calls", kind: "texts" },
    { field: "perSecond", key: "rate", title: "Calls a second" },
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/clients", isOnPagesOnly: true },
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
      summary: "List a client's scheduled operations.",
      prints: "array",
      empty: "This client has registered no operation. A project registers one by POST /api/v1/scheduled-operations.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "show",
      rpc: rpcs.getScheduledOperation,
      does: "show",
      summary: "Show a scheduled operation and when it is due.",
      example: "--operation <id>",
    }),
    operation({
      verb: "set-cron",
      rpc: rpcs.setScheduledOperationCron,
      does: "act",
      summary:
        "Attach a schedule to an operation, replacing any earlier one. It counts from now, and each due time runs once.",
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
          explanation: "the IANA time zone that the fields are read in, such as Asia/Tokyo",
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
        "When clocks change: a fixed time in the missing hour runs at the first minute after it, one in the repeated hour runs once.",
    }),
    operation({
      verb: "set-overlap",
      rpc: rpcs.setScheduledOperationOverlap,
      does: "act",
      summary: "Set what happens to a run that is due while one before it is not over.",
      title: "Set the overlap",
      notice: "The overlap is set.",
      fields: [{ ...overlap, option: "policy", isRequired: true }],
      example: "--operation <id> --policy skip",
    }),
    operation({
      verb: "set-headers",
      rpc: calls.setScheduledOperationHeaders,
      does: "act",
      summary: "Set the headers that each call of an operation carries, replacing all earlier ones.",
      title: "Set the headers",
      notice: "The headers are set.",
      fields: [
        {
          field: "headersJson",
          option: "headers",
          label: "Headers",
          explanation:
            'a JSON object of at most 10 names and values, such as {"X-Environment": "blue"}; {} removes all of them',
          placeholder: "json",
          isRequired: true,
        },
      ],
      example: `--operation <id> --headers '{"X-Environment": "blue"}'`,
      remark:
        "Values are sealed and never shown again. Headers of one hop, such as Connection, and those that frame or sign a call cannot be set.",
    }),
    operation({
      verb: "set-rate",
      rpc: calls.setScheduledOperationRate,
      does: "act",
      summary:
        "Set how many calls of an operation are made in a second at most, those for its subscriptions included. Calls beyond that wait.",
      title: "Set the rate",
      notice: "The rate is set.",
      fields: [
        {
          field: "perSecond",
          label: "Calls a second",
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
      summary: "Run an operation once at a given time, in addition to its schedule.",
      title: "Run once at a time",
      button: "Plan the run",
      notice: "The run is planned.",
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
      summary:
        "Turn an operation on again; its schedule goes on from now, and due times that were missed are not made up for.",
      button: "Enable it",
      notice: "The operation is enabled.",
      offeredIn: ["disabled"],
      example: "--operation <id>",
    }),
    operation({
      verb: "disable",
      rpc: rpcs.disableScheduledOperation,
      does: "act",
      summary: "Turn an operation off; nothing calls it until it is enabled.",
      button: "Call it no more",
      notice: "The operation is disabled.",
      isDanger: true,
      offeredIn: ["active"],
      example: "--operation <id>",
    }),
  ],
});
