import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";
import { catalogDigest } from "./catalog-digest.ts";

/** The contract has validated the entries; the digest needs no service. */
export const validateNotificationCatalog: Handler<
  (typeof notifyOperations)["notify.validateNotificationCatalog"]
> = async ({ body }) => ({ data: { entries: body.entries.length, digest: catalogDigest(body.entries) } });
