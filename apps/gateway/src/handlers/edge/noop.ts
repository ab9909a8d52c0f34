import type { edgeOperations } from "@platform/contracts/operations/edge";
import type { PreparedHandler } from "../../handler.ts";

/** POST /noop: does nothing after the pipeline's checks. */
export const noop: PreparedHandler<typeof edgeOperations, "edge.noop"> = async ({ body }) => ({
  data: { money: body.money, status: "queued" },
});
