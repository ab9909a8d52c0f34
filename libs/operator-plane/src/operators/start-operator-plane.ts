import type { Keyring } from "@platform/kit/process/secrets";
import type { Logger, Metrics } from "@platform/kit/process/telemetry";
import { connectGrpc, type TlsSetting } from "@platform/kit/rpc/client";
import type { OperatorKeys } from "./assertions.ts";
import { createAuthenticate } from "./authenticate.ts";
import { type ClientExists, findClientsAt } from "./known-clients.ts";
import { type FindOpenSession, findSessionsAt } from "./open-sessions.ts";
import type { OperatorActionStore } from "./operator-actions.ts";
import { fetchOperatorKeys } from "./operator-keys.ts";
import { createOperatorPlane, type OperatorPlane } from "./operator-plane.ts";
import { appendThroughEventsSvc, startOperatorRelay } from "./relay.ts";
import type { FindOwner, ResourceOwners } from "./resource-owners.ts";
import { type Approvals, approvalsAt } from "./second-person.ts";

type StartOptions = {
  readonly store: OperatorActionStore;
  readonly keyring: Keyring;
  readonly owners: ResourceOwners;
  readonly findOwner: FindOwner;
  /** The break-glass token, and previous tokens that are still accepted. */
  readonly operatorTokens: readonly string[];
  readonly identityAddress: string;
  /** Address of events-svc, which keeps the chain; if null, actions are not chained. */
  readonly eventsAddress: string | null;
  readonly tls: TlsSetting;
  /** Set only in identity-svc, which has the keys itself. */
  readonly keys?: OperatorKeys;
  /** Set only in identity-svc, which has the sessions itself. */
  readonly findSession?: FindOpenSession;
  /** Set only in identity-svc, which has the Project Clients itself. */
  readonly clientExists?: ClientExists;
  /** Set only in identity-svc, which stores the approvals itself. */
  readonly approvals?: Approvals;
  readonly isSecondPersonOn: boolean;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Starts the operator plane of a server process, including the relay of its recorded actions. */
export function startOperatorPlane(options: StartOptions): OperatorPlane & { close(): Promise<void> } {
  const { store, operatorTokens, tls, clock, logger, metrics } = options;
  const identity = connectGrpc({ address: options.identityAddress, tls });
  const events =
    options.eventsAddress === null
      ? null
      : connectGrpc({ address: options.eventsAddress, tls, ...identification(tls, operatorTokens) });
  const keys = options.keys ?? fetchOperatorKeys(identity);
  const relay = startOperatorRelay({
    store,
    append: events === null ? null : appendThroughEventsSvc(events),
    logger,
    clock,
    registry: metrics.registry,
  });
  const plane = createOperatorPlane({
    authenticate: createAuthenticate(operatorTokens, keys, options.findSession ?? findSessionsAt(identity), clock),
    store,
    key: options.keyring.current,
    owners: options.owners,
    findOwner: options.findOwner,
    clientExists: options.clientExists ?? findClientsAt(identity, logger),
    approvals: options.approvals ?? approvalsAt(identity),
    isSecondPersonOn: options.isSecondPersonOn,
    clock,
    registry: metrics.registry,
    onSettled: relay.notify,
  });
  return {
    ...plane,
    close: async () => {
      await relay.stop();
      identity.close();
      events?.close();
    },
  };
}

/**
 * Returns how the process that appends to the chain identifies itself. Over plain text there is no certificate, so it
 * presents the platform's own token.
 */
function identification(tls: TlsSetting, [token]: readonly string[]): { metadata?: Record<string, string> } {
  const isPlain = tls === null || tls === "plaintext";
  return isPlain && token !== undefined ? { metadata: { authorization: `Bearer ${token}` } } : {};
}
