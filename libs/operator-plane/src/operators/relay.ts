import { jittered, startPollLoop } from "@platform/kit/jobs/pacing";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { OperatorChainService } from "@platform/proto/events/v1/operator_chain";
import { digestOf } from "./action.ts";
import type { OperatorAction, OperatorActionStore } from "./operator-actions.ts";

const lookEveryMs = 30_000;
const failedMs = 2_000;
const batchMax = 200;

type RelayOptions = {
  readonly store: OperatorActionStore;
  /** The connection to events-svc, which keeps the chain; if null, actions are not chained. */
  readonly events: GrpcConnection | null;
  readonly logger: Logger;
  readonly clock: () => Date;
};

/** Sends settled actions to the chain of operator actions, and settles the actions of processes that were killed. */
export type OperatorRelay = { notify(): void; stop(): Promise<void> };

/** Starts the relay. Several processes may send the same action, because its id is its idempotency key in the chain. */
export function startOperatorRelay({ store, events, logger, clock }: RelayOptions): OperatorRelay {
  const chain = events?.service(OperatorChainService);
  let isFailing = false;

  const append = async (action: OperatorAction, signal: AbortSignal): Promise<void> => {
    const { id, who, rpc, outcome } = action;
    const context = { correlationId: newId(), operation: "operator-relay", projectClient: null, idempotency: null };
    const request = { actionId: id, who, rpc, outcome, digest: digestOf(action) };
    await chain?.appendOperatorAction(request, { context, signal, retryUnavailable: true });
    await store.markChained(id);
  };
  const relay = async (signal: AbortSignal): Promise<void> => {
    await store.settleAbandoned(clock());
    for (let found = chain === undefined ? 0 : batchMax; found === batchMax && !signal.aborted; ) {
      const actions = await store.findUnchained(batchMax);
      for (const action of actions) await append(action, signal);
      found = actions.length;
    }
  };
  const loop = startPollLoop({
    round: async (signal) => {
      await relay(signal);
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
