import type { edgeOperations } from "@platform/contracts/operations/edge";
import type { PreparedHandler } from "../../handler.ts";

/** POST /noop: does nothing except the checks of the pipeline. */
export const noop: PreparedHandler<typeof edgeOperations, "edge.noop"> = async ({ body }) => ({
  data: { money: body.money, status: "queued" },
});
