import type { adsOperations } from "@platform/contracts/operations/ads";
import type { HandlersFor } from "../handler.ts";
import { recordViewableImpression } from "./ads/record-viewable-impression.ts";

export const adsHandlers = {
  "ads.recordViewableImpression": recordViewableImpression,
} satisfies HandlersFor<typeof adsOperations>;
