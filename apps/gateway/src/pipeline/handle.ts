import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import type { Handler, HandlerInput } from "../handler.ts";
import { writeJson } from "../json-text.ts";
import type { Upstreams } from "../upstreams.ts";
import type { Exchange, Stage } from "./exchange.ts";
import type { Forward } from "./forward.ts";

/** A handler of any operation. Its types are checked where the handlers are joined. */
export type AnyHandler = Handler<never>;

/**
 * Calls the operation's handler and writes its result as `{"data": …}`, or streams the request to the service that owns
 * the operation.
 */
export function handle(options: {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly upstreams: Upstreams;
  readonly forward: Forward;
}): Stage {
  const { handlers, upstreams, forward } = options;
  return async (exchange) => {
    const { operation } = exchange;
    if (operation.transport === "proxy") {
      await forward(operation.upstream, exchange);
      return { kind: "streamed" };
    }
    const handler = handlers[operation.id];
    if (handler === undefined || !operation.served) throw dependencyUnavailable();
    const result = await handler(handlerInput(exchange) as HandlerInput<never>, upstreams);
    return {
      kind: "body",
      status: operation.status,
      headers: result.replayed === true ? { "idempotency-replayed": "true" } : {},
      body: `{"data":${writeJson(result.data)}}`,
    };
  };
}

function handlerInput(exchange: Exchange) {
  const { client, session, operation, correlationId, idempotency } = exchange;
  // A request that has spent or claimed something is not aborted when its caller disconnects. Otherwise, the caller
  // could get its units back for an operation that the service still executes.
  const isSeenThrough = operation.quota !== null || idempotency !== null;
  return {
    params: exchange.params ?? {},
    body: exchange.body,
    client,
    session,
    correlationId,
    idempotencyKey: idempotency?.key ?? null,
    source: exchange.source,
    call: {
      context: {
        correlationId,
        operation: operation.id,
        projectClient: client === null ? null : { id: client.id, environment: client.environment },
        idempotency,
      },
      deadlineMs: exchange.deadlineMs,
      ...(isSeenThrough ? {} : { signal: exchange.signal() }),
    },
  };
}
