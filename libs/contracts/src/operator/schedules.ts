import { ScheduledOperationAdminService, ScheduledOperationSchema } from "@platform/proto/events/v1/events_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = ScheduledOperationAdminService.method;

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
    { field: "overlap", title: "A run that is due meanwhile", isOmittedFor: "allow" },
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/clients", isOnPagesOnly: true },
  ],
  shown: {
    list: ["id", "name", "status", "cron", "timezone", "nextDueAt", "url"],
    page: ["status", "url", "cron", "timezone", "nextDueAt", "overlap", "maxAttempts", "projectClientId"],
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
