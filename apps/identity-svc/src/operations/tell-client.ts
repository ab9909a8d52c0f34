import { type Fact, type PlatformFact, platformFact } from "@platform/operator-plane/platform-events";
import type { IdentityContext } from "../identity-context.ts";

/** Returns the platform event for a Project Client, or null if the client has not turned platform events on. */
export async function factFor(
  { clients }: Pick<IdentityContext, "clients">,
  clientId: string,
  fact: Fact,
  now: Date,
): Promise<PlatformFact | null> {
  const client = await clients.find(clientId);
  return client?.platform_events === true ? platformFact(fact, now) : null;
}
