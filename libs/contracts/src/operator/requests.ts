import { RequestLineSchema, RequestLogAdminService } from "@platform/proto/identity/v1/request_log_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

export const requests = resource({
  name: "requests",
  noun: "request",
  title: "Request log",
  row: RequestLineSchema,
  id: "correlationId",
  subject: { field: "correlationId", option: "correlation-id", explanation: "correlation id" },
  paths: { list: "/requests", one: "/requests" },
  columns: [
    { field: "at", title: "At", kind: "time" },
    { field: "operation", title: "Operation" },
    { field: "method", title: "Method" },
    { field: "status", title: "Status" },
    { field: "code", title: "Code", isNullIfEmpty: true },
    { field: "durationMs", title: "Took (ms)" },
    { field: "credentialId", title: "Credential", kind: "id" },
    { field: "network", title: "Network" },
    { field: "correlationId", title: "Left behind", kind: "id", page: "/search?q={id}" },
    { field: "replayed", title: "Replayed" },
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/clients", isLeftOutIfAbsent: true },
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
      summary: "List requests and what became of them, newest first. Without a client, those of all clients.",
      empty:
        "This client has made no request yet. A request appears here within seconds, unless it is one of the successes of staging or production that are not kept.",
      filter: "filter",
      fields: [
        projectClient,
        {
          field: "status",
          label: "Status",
          explanation: "a status such as 404, or a class such as 4xx",
          placeholder: "status",
          maxLength: 3,
        },
        {
          field: "code",
          label: "Code",
          explanation: "an error code, such as contract_violation",
          placeholder: "code",
        },
        {
          field: "operation",
          label: "Operation",
          explanation: "the id of an operation, such as events.publishDomainEvent",
          placeholder: "operation",
        },
        {
          field: "credentialId",
          option: "credential",
          kind: "id",
          label: "Credential id",
          explanation: "the Project Credential that the request carried",
        },
        {
          field: "correlationId",
          kind: "id",
          label: "Correlation id",
          explanation: "the X-Correlation-ID of the answer",
        },
        {
          field: "since",
          kind: "since",
          label: "Since",
          explanation: "answered at this time or later: RFC 3339, or 2h, 7d ago",
        },
      ],
      example: "--client <client id> --status 4xx --since 2h",
      remark:
        "The log has every refusal and failure, and of successes all in development and sandbox, else a share. It is kept for 7 days. `requests gaps` shows what it lacks.",
    }),
  ],
});
