import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { PreparedHandler } from "../../handler.ts";

/** The contract has validated the entries, and the digest needs no service. */
export const validateNotificationCatalog: PreparedHandler<
  typeof notifyOperations,
  "notify.validateNotificationCatalog"
> = async ({ body }) => ({ data: body });
