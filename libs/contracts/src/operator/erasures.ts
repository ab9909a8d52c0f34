import { ErasureAdminService, ShowErasureResponseSchema } from "@platform/proto/identity/v1/erasure_admin";
import { operation, resource } from "./resource.ts";

const rpcs = ErasureAdminService.method;

export const erasures = resource({
  name: "erasures",
  noun: "erasure",
  title: "Erasures",
  row: ShowErasureResponseSchema,
  id: "erasureId",
  subject: { field: "erasureId", option: "erasure", explanation: "erasure id, as printed when the erasure started" },
  paths: { list: "/erasures" },
  columns: [
    { field: "erasureId", key: "id", title: "Erasure", kind: "id", page: "/erasures" },
    { field: "kind", title: "Subject" },
    { field: "status", title: "Status", kind: "state" },
    {
      field: "steps",
      title: "Services",
      columns: [
        { field: "service", title: "Service" },
        { field: "status", title: "Status", kind: "state" },
        { field: "erased", title: "Erased records" },
        { field: "doneAt", title: "Done", kind: "time" },
        { field: "failures", title: "Failed attempts" },
        { field: "error", title: "Error" },
      ],
    },
    { field: "createdAt", title: "Started", kind: "time" },
    { field: "finishedAt", title: "Finished", kind: "time" },
  ],
  shown: {
    list: ["id", "kind", "status", "steps", "createdAt", "finishedAt"],
    page: ["kind", "status", "createdAt", "finishedAt", "steps"],
    question: ["steps"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listErasures,
      does: "list",
      summary: "List erasures, newest first.",
      empty: "There are no erasures. With the role security, you can erase a person here, and a project on its page.",
      fields: [
        {
          field: "status",
          label: "Status",
          explanation: "pending, running, done or failed",
          choices: ["pending", "running", "done", "failed"],
        },
      ],
      example: "--status failed",
    }),
    operation({
      verb: "retry",
      rpc: rpcs.retryErasure,
      does: "act",
      summary:
        "Retry the failed parts of an erasure. Each part is attempted up to ten times within about twenty minutes.",
      title: "Retry",
      button: "Retry the failed parts",
      notice: "The failed parts are being retried.",
      offeredIn: ["failed"],
      example: "--erasure <id>",
    }),
    operation({
      verb: "show",
      rpc: rpcs.showErasure,
      does: "show",
      summary: "Show the progress of an erasure in each service.",
      example: "--erasure <id>",
    }),
  ],
});
