import type { edgeOperations } from "@platform/contracts/operations/edge";
import type { Handler } from "../../handler.ts";

/** POST /noop: the request has been judged by the pipeline; nothing else happens. */
export const noop: Handler<(typeof edgeOperations)["edge.noop"]> = async ({ body }) => ({
  data: { money: body.money, status: "queued" },
});
