import type { StatusReasonSchema } from "@platform/proto/events/v1/status_reason";
import type { Column } from "./column.ts";

/** Columns with the response because of which a subscription was ended or a scheduled operation was disabled. */
export const statusReasonColumns = [
  { field: "statusCode", title: "Status" },
  { field: "at", title: "At", kind: "time" },
  { field: "bodyStart", title: "Beginning of the response" },
] as const satisfies readonly Column<typeof StatusReasonSchema>[];
