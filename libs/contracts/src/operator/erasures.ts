import { ErasureAdminService, ShowErasureResponseSchema } from "@platform/proto/identity/v1/erasure_admin";
import { operation, resource } from "./resource.ts";

const rpcs = ErasureAdminService.method;

export const erasures = resource({
  name: "erasures",
  noun: "erasure",
  title: "Erasures",
  row: ShowErasureResponseSchema,
  id: "erasureId",
  subject: { field: "erasureId", option: "erasure", explanation: "as printed when it was begun" },
  paths: { list: "/erasures", one: "/erasures" },
  columns: [
    { field: "erasureId", key: "id", title: "Erasure", kind: "id", page: "/erasures" },
    { field: "kind", title: "Of a" },
    { field: "status", title: "Status", kind: "state" },
    {
      field: "steps",
      title: "Services",
      columns: [
        { field: "service", title: "Service" },
        { field: "status", title: "Status", kind: "state" },
        { field: "erased", title: "Records erased" },
        { field: "doneAt", title: "Done", kind: "time" },
        { field: "failures", title: "Failed tries" },
        { field: "error", title: "Error" },
      ],
    },
    { field: "createdAt", title: "Begun", kind: "time" },
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
      empty: "Nobody was erased. Someone with the role security erases a person here, and a client from its page.",
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
      summary: "Try the failed parts of an erasure again, each ten times in about twenty minutes.",
      title: "Try again",
      button: "Try the failed parts again",
      notice: "The failed parts are tried again.",
      offeredIn: ["failed"],
      example: "--erasure <id>",
    }),
    operation({
      verb: "show",
      rpc: rpcs.showErasure,
      does: "show",
      summary: "Show how far an erasure is, service by service.",
      example: "--erasure <id>",
    }),
  ],
});
