import { createMetrics } from "@platform/kit/process/telemetry";
import type { Connection } from "mongoose";
import type { OperatorKeys } from "../src/operators/assertions.ts";
import { createAuthenticate } from "../src/operators/authenticate.ts";
import type { ClientExists } from "../src/operators/known-clients.ts";
import type { FindOpenSession } from "../src/operators/open-sessions.ts";
import { createOperatorActionStore } from "../src/operators/operator-actions.ts";
import { createOperatorPlane } from "../src/operators/operator-plane.ts";
import { createFindOwner, type ResourceOwners } from "../src/operators/resource-owners.ts";

/** Creates an operator plane on a database, with a break-glass token. */
export function createTestPlane(
  connection: Connection,
  token: string,
  keys: OperatorKeys = async () => ({ keys: [] }),
  clock = () => new Date(),
  owners: ResourceOwners = { file_object_id: { collection: "file_objects" } },
  clientExists: ClientExists = async () => true,
  findSession: FindOpenSession = async () => ({ memberships: [] }),
) {
  const { registry } = createMetrics("test", { processMetrics: false });
  const store = createOperatorActionStore(connection);
  const authenticate = createAuthenticate([token], keys, findSession, clock);
  const findOwner = createFindOwner(connection, owners);
  const key = Buffer.alloc(32, 1);
  return {
    ...createOperatorPlane({
      ...{ authenticate, store, key, clientExists, clock, registry, owners, findOwner },
      approvals: { request: async () => "", use: async () => "" },
      isSecondPersonOn: false,
      onSettled: () => {},
    }),
    store,
    registry,
  };
}
