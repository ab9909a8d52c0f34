import type { StatusReasonSchema } from "@platform/proto/events/v1/status_reason";
import type { Column } from "./resource.ts";

/** The response that ended a subscription or disabled a scheduled operation. */
export const statusReasonColumns = [
  { field: "statusCode", title: "Status" },
  { field: "at", title: "At", kind: "time" },
  { field: "bodyStart", title: "Beginning of the response" },
] as const satisfies readonly Column<typeof StatusReasonSchema>[];
