import type { Delivery } from "../domain/delivery.ts";
import { type EndpointChange, revoke, setConsent } from "../domain/endpoint.ts";
import type { WorkerDeps } from "./worker-deps.ts";

/**
 * Does what the report about an email to a recipient for tests has as its effect, as that about another mail would: after a bounce the delivery is failed and the
 * endpoint revoked, and after a complaint the consent to the mail's purpose is withdrawn.
 */
export async function reportOf(
  { stores, clock }: Pick<WorkerDeps, "stores" | "clock">,
  delivery: Delivery,
  report: "bounced" | "complained",
): Promise<void> {
  const { id, projectClientId, endpointId, ownershipGeneration, purpose, correlationId } = delivery;
  const now = clock();
  await stores.endpoints.change(
    projectClientId,
    endpointId,
    (current): EndpointChange => {
      // The mail was sent to an earlier holder of the address.
      if (current.ownershipGeneration !== ownershipGeneration) return { next: null, failure: null };
      if (report === "bounced") return revoke(current, "bounced");
      return purpose === null ? { next: null, failure: null } : setConsent(current, purpose, false);
    },
    { by: report === "bounced" ? "provider" : "owner", correlationId, deliveryId: id },
    now,
  );
  if (report === "bounced") await stores.deliveries.failSent(id, "bounced", now);
}
