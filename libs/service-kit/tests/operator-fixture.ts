import type { Connection } from "mongoose";
import { createOperatorActionStore } from "../src/mongo/operator-actions.ts";
import { createFindOwner, type ResourceOwners } from "../src/mongo/resource-owners.ts";
import type { OperatorKeys } from "../src/operator/assertions.ts";
import { createAuthenticate } from "../src/operator/authenticate.ts";
import type { ClientExists } from "../src/operator/known-clients.ts";
import { createOperatorPlane } from "../src/operator/operator-plane.ts";
import { createMetrics } from "../src/process/metrics.ts";

/** An operator plane on a database, with a break-glass token. */
export function createTestPlane(
  connection: Connection,
  token: string,
  keys: OperatorKeys = async () => ({ keys: [] }),
  clock = () => new Date(),
  owners: ResourceOwners = {},
  clientExists: ClientExists = async () => true,
) {
  const { registry } = createMetrics("test", { processMetrics: false });
  const store = createOperatorActionStore(connection);
  const authenticate = createAuthenticate([token], keys, clock);
  const findOwner = createFindOwner(connection, owners);
  const key = Buffer.alloc(32, 1);
  return {
    ...createOperatorPlane({
      ...{ authenticate, store, key, clientExists, clock, registry, owners, findOwner },
      onSettled: () => {},
    }),
    store,
    registry,
  };
}
