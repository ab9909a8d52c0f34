import { jittered, putOffMs, startPollLoop } from "@platform/kit/jobs/pacing";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { isRefusal } from "@platform/kit/rpc/errors";
import { OperatorChainService } from "@platform/proto/events/v1/operator_chain";
import { Gauge, type Registry } from "@prometheus-io/client";
import { digestOf } from "./action.ts";
import type { OperatorAction, OperatorActionStore } from "./operator-actions.ts";

const lookEveryMs = 30_000;
const failedMs = 2_000;
const batchMax = 200;
/** Number of actions that are sent at the same time, so that events-svc appends them by one write. */
const sentTogether = 50;

/** Appends an action to the chain of operator actions. Repeating the call appends nothing. */
export type AppendAction = (action: OperatorAction, signal: AbortSignal) => Promise<void>;

/** Appends actions through events-svc, which keeps the chain. */
export function appendThroughEventsSvc(events: GrpcConnection): AppendAction {
  const chain = events.service(OperatorChainService);
  return async (action, signal) => {
    const { id, who, rpc, outcome } = action;
    const context = { correlationId: newId(), operation: "operator-relay", projectClient: null, idempotency: null };
    const request = { actionId: id, who, rpc, outcome, digest: digestOf(action) };
    await chain.appendOperatorAction(request, { context, signal, retryUnavailable: true });
  };
}

type RelayOptions = {
  readonly store: OperatorActionStore;
  /** Appends to the chain; if null, actions are not chained. */
  readonly append: AppendAction | null;
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly registry: Registry;
};

/** Sends settled actions to the chain of operator actions, and settles the actions of processes that were killed. */
export type OperatorRelay = { notify(): void; stop(): Promise<void> };

/**
 * Starts the relay. Several processes may send the same action, because its id is its idempotency key in the chain. An
 * action that the chain refuses is postponed, so that it does not keep later ones out of the chain.
 */
export function startOperatorRelay({ store, append, logger, clock, registry }: RelayOptions): OperatorRelay {
  const oldest = new Gauge({
    name: "platform_operator_actions_oldest_unchained_seconds",
    help: "Age of the oldest operator action that is not in the chain yet; 0 when none waits.",
    registers: [registry],
  });
  let isFailing = false;

  /** Appends an action. Returns false if the chain refused it, so that it was postponed. */
  const chainOrPutOff = async (action: OperatorAction, signal: AbortSignal): Promise<boolean> => {
    try {
      await append?.(action, signal);
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const now = clock();
      logger.error(
        { err: error, job: "operator-relay", resource_id: action.id },
        "the chain refused an operator action; it is postponed",
      );
      const waitMs = putOffMs(now.getTime() - action.at.getTime());
      await store.putOff(action.id, new Date(now.getTime() + waitMs));
      return false;
    }
  };
  const chainTogether = async (actions: readonly OperatorAction[], signal: AbortSignal): Promise<void> => {
    const chained: string[] = [];
    const results = await Promise.allSettled(
      actions.map(async (action) => {
        if (await chainOrPutOff(action, signal)) chained.push(action.id);
      }),
    );
    await store.markChained(chained);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  };
  const measure = async (): Promise<void> => {
    const since = append === null ? null : await store.oldestUnchainedSince();
    oldest.set(since === null ? 0 : Math.max(0, clock().getTime() - since.getTime()) / 1_000);
  };
  const relay = async (signal: AbortSignal): Promise<void> => {
    await store.settleAbandoned(clock());
    for (let found = append === null ? 0 : batchMax; found === batchMax && !signal.aborted; ) {
      const actions = await store.findUnchained(clock(), batchMax);
      for (let at = 0; at < actions.length; at += sentTogether)
        await chainTogether(actions.slice(at, at + sentTogether), signal);
      found = actions.length;
    }
  };
  const loop = startPollLoop({
    round: async (signal) => {
      await relay(signal).finally(measure);
      isFailing = false;
      return jittered(lookEveryMs);
    },
    failed: (error, signal) => {
      if (!isFailing && !signal.aborted)
        logger.warn({ err: error }, "operator actions wait to be added to their chain");
      isFailing = true;
      return jittered(failedMs);
    },
  });
  return {
    notify: () => {
      if (!isFailing) loop.wake();
    },
    stop: loop.stop,
  };
}
