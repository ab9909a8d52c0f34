import { defined } from "@platform/kit/process/fields";
import type { ServerConfig, ServiceConfig } from "@platform/kit/service/config";
import { type RunningService, type Served, type ServiceOptions, startService } from "@platform/kit/service/start";
import type { MongoConnection } from "@platform/kit/store/schema";
import type { OperatorKeys } from "../operators/assertions.ts";
import type { ClientExists } from "../operators/known-clients.ts";
import type { FindOpenSession } from "../operators/open-sessions.ts";
import { createFindOwner, type ResourceOwners } from "../operators/resource-owners.ts";
import type { Approvals } from "../operators/second-person.ts";
import { startOperatorPlane } from "../operators/start-operator-plane.ts";
import { createRecordSearch, type SearchedCollection } from "../search/record-search.ts";
import { recordSearchAdmin } from "../search/record-search-admin.ts";
import { openPlaneStores, type PlaneStores } from "./plane-stores.ts";
import { createPlatformKit, type PlatformKit } from "./platform-kit.ts";

/** What a service serves, and the functions of identity-svc that other services reach by RPC. */
type PlatformServed = Omit<Served, "operators"> & {
  /** Set only in identity-svc: the keys of operators' assertions. */
  readonly operatorKeys?: OperatorKeys;
  /** Set only in identity-svc, which stores the sessions. */
  readonly findSession?: FindOpenSession;
  /** Set only in identity-svc, which stores the Project Clients. */
  readonly clientExists?: ClientExists;
  /** Set only in identity-svc, which stores the approvals. */
  readonly approvals?: Approvals;
};

type PlatformServiceOptions<S> = Pick<ServiceOptions<S>, "name" | "config" | "overrides" | "openStores"> & {
  /** Records that operators can find by id, idempotency key and correlation id. */
  readonly searched?: readonly SearchedCollection[];
  /**
   * The resources that operators' requests name. With them, the record of a call contains the Project Client of its
   * resource.
   */
  readonly owners?: ResourceOwners;
  /** Creates the service's own parts: starts its jobs and returns what it serves. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a worker's wiring returns nothing
  readonly wire: (kit: PlatformKit<S>) => Promise<PlatformServed | void> | PlatformServed | void;
};

type Opened<S> = { readonly own: S; readonly plane: PlaneStores; readonly connection: MongoConnection };

/**
 * Starts a process of a service of the platform: `startService`, and the parts that every service has for Project
 * Clients and operators. A server with RPCs for operators admits the operators, records their actions, and also serves
 * these records and the search.
 */
export function startPlatformService<S>(options: PlatformServiceOptions<S>): Promise<RunningService> {
  const { name, config, overrides } = options;
  return startService<Opened<S>>({
    name,
    config,
    overrides,
    openStores: (connection, keyring) => ({
      own: options.openStores(connection, keyring),
      plane: openPlaneStores(connection),
      connection,
    }),
    wire: async (kit) => {
      const { own, plane, connection } = kit.stores;
      const served = await options.wire(createPlatformKit({ ...kit, stores: own }, config));
      if (served?.grpc === undefined) return served;
      const { operatorKeys, findSession, clientExists, approvals, grpc, ...rest } = served;
      const { clock, logger, metrics } = kit;
      const owners = options.owners ?? {};
      const operators = startOperatorPlane({
        ...config,
        store: plane.actions,
        owners,
        findOwner: createFindOwner(connection, owners),
        operatorTokens: operatorTokensOf(config),
        isSecondPersonOn: isSecondPersonOn(config),
        ...defined({ keys: operatorKeys, findSession, clientExists, approvals }),
        clock,
        logger,
        metrics,
      });
      kit.onClose(operators.close);
      const search = recordSearchAdmin(createRecordSearch(connection, options.searched ?? []), clock);
      return { ...rest, grpc: [...grpc, operators.actions, search], operators };
    },
  });
}

/**
 * Returns whether approvals are on. A worker serves no operators, so its configuration does not contain the setting.
 */
const isSecondPersonOn = ({ isSecondPersonOn: isOn = false }: ServiceConfig & Partial<ServerConfig>): boolean => isOn;

/** Returns the break-glass token, and the previous one while it is still accepted. */
function operatorTokensOf({ operatorToken, operatorTokenPrevious }: ServiceConfig & Partial<ServerConfig>): string[] {
  return [operatorToken, operatorTokenPrevious].filter((token) => typeof token === "string");
}
