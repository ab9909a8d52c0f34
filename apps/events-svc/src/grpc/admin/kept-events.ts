import { ServiceError } from "@platform/kit/rpc/errors";
import type { EventModels } from "../../store/domain-event-model.ts";
import { removedTo } from "../../store/remove-old-events.ts";

/**
 * Checks that a log can be read after a position.
 * @throws ServiceError events_not_kept if events after the position were removed, so that the reader would miss them
 */
export async function requireKeptFrom(models: EventModels, clientId: string, position: number): Promise<void> {
  const last = await removedTo(models, clientId);
  if (position >= last) return;
  throw new ServiceError(
    "events_not_kept",
    `Events up to position ${last} are not kept any more; the first that can be read comes after ${last}.`,
    { details: { removed_to: last } },
  );
}
