import { part as operatorConsole } from "@platform/console/part";
import { serviceNames } from "@platform/contracts/services";
import { part as gateway } from "@platform/gateway/part";
import type { Part } from "@platform/kit/process/run";

/** The server and the worker of a service. Every service exports both. */
async function partsOf(name: string): Promise<readonly Part[]> {
  const { parts } = (await import(`@platform/${name}-svc/parts`)) as { readonly parts: readonly Part[] };
  return parts;
}

const others = serviceNames.filter((name) => name !== "identity");

/**
 * All parts of the platform for `startTogether`, in layers: callers first, then the services that they call. Every service asks identity-svc about Project
 * Clients when it starts.
 */
export const platformLayers: readonly (readonly Part[])[] = [
  [gateway, operatorConsole],
  (await Promise.all(others.map(partsOf))).flat(),
  await partsOf("identity"),
];
