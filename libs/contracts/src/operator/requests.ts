import { RequestLineSchema, RequestLogAdminService } from "@platform/proto/identity/v1/request_log_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

export const requests = resource({
  name: "requests",
  noun: "request",
  title: "Request log",
  row: RequestLineSchema,
  id: "correlationId",
  subject: { field: "correlationId", option: "correlation-id", explanation: "correlation id of the request" },
  paths: { list: "/requests" },
  columns: [
    { field: "at", title: "At", kind: "time" },
    { field: "operation", title: "Operation" },
    { field: "method", title: "Method" },
    { field: "status", title: "Status" },
    { field: "code", title: "Code", isNullIfEmpty: true },
    { field: "durationMs", title: "Duration (ms)" },
    { field: "credentialId", title: "Credential", kind: "id" },
    { field: "network", title: "Network" },
    { field: "correlationId", title: "Correlation id", kind: "id", page: "/search?q={id}" },
    { field: "replayed", title: "Replayed" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients", isLeftOutIfAbsent: true },
  ],
  shown: {
    list: [
      "at",
      "operation",
      "method",
      "status",
      "code",
      "durationMs",
      "credentialId",
      "network",
      "correlationId",
      "replayed",
    ],
    page: [],
    question: [],
  },
  operations: [
    operation({
      verb: "list",
      rpc: RequestLogAdminService.method.listRequests,
      does: "list",
      summary: "List the requests of one project or of all projects and their outcomes, newest first.",
      empty:
        "There are no requests in the log. A request appears within seconds; in staging and production, only a share of the successful ones is logged.",
      filter: "filter",
      fields: [
        projectClient,
        {
          field: "status",
          label: "Status",
          explanation: "an HTTP status such as 404, or a class such as 4xx",
          placeholder: "status",
          maxLength: 3,
        },
        {
          field: "code",
          label: "Code",
          explanation: "error code, such as contract_violation",
          placeholder: "code",
        },
        {
          field: "operation",
          label: "Operation",
          explanation: "operation id, such as events.publishDomainEvent",
          placeholder: "operation",
        },
        {
          field: "credentialId",
          option: "credential",
          kind: "id",
          label: "Credential id",
          explanation: "id of the Project Credential that was used",
        },
        {
          field: "correlationId",
          kind: "id",
          label: "Correlation id",
          explanation: "the X-Correlation-ID of the response",
        },
        {
          field: "since",
          kind: "since",
          label: "Since",
          explanation: "answered at or after this time: RFC 3339, or an age such as 2h or 7d",
        },
      ],
      example: "--client <client id> --status 4xx --since 2h",
      remark:
        "The log contains every rejected and failed request. It contains every successful request in development and sandbox, and a share of them in staging and production. Entries are kept for 7 days. `requests gaps` shows which requests are missing.",
    }),
  ],
});
