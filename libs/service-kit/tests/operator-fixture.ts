import type { Connection } from "mongoose";
import { createOperatorActionStore } from "../src/mongo/operator-actions.ts";
import type { OperatorKeys } from "../src/operator/assertions.ts";
import { createAuthenticate } from "../src/operator/authenticate.ts";
import { createOperatorPlane } from "../src/operator/operator-plane.ts";
import { createMetrics } from "../src/process/metrics.ts";

/** An operator plane on a database, with a break-glass token. */
export function createTestPlane(
  connection: Connection,
  token: string,
  keys: OperatorKeys = async () => ({ keys: [] }),
  clock = () => new Date(),
) {
  const { registry } = createMetrics("test", { processMetrics: false });
  const store = createOperatorActionStore(connection);
  const authenticate = createAuthenticate([token], keys, clock);
  return {
    ...createOperatorPlane({ authenticate, store, key: Buffer.alloc(32, 1), clock, registry, onSettled: () => {} }),
    store,
    registry,
  };
}
