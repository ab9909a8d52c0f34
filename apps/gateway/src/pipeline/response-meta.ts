import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { contractRelease } from "@platform/contracts/operations/edge";
import { z } from "zod";
import type { Stage } from "./exchange.ts";

/**
 * Adds the `meta` of the current request to success bodies that have one. This stage runs outside of the idempotency
 * claim, so that a replay gets its own `meta`.
 */
export const responseMeta: Stage = (exchange, next) =>
  withMeta.has(exchange.operation.id) ? addMeta(exchange, next) : next();

const addMeta: Stage = async (exchange, next) => {
  const answer = await next();
  if (answer.kind !== "body") return answer;
  const meta = {
    release: contractRelease,
    idempotency_key: exchange.idempotency?.key,
    correlation_id: exchange.correlationId,
    replayed: answer.headers?.["idempotency-replayed"] === "true",
  };
  // The body is `{"data":…}`, as a handler's result is written. `meta` is inserted before its last brace.
  return { ...answer, body: `${answer.body.slice(0, -1)},"meta":${JSON.stringify(meta)}}` };
};

const withMeta: ReadonlySet<string> = new Set(operationList.filter(hasMeta).map(({ id }) => id));

function hasMeta({ response }: NamedOperation): boolean {
  return response instanceof z.ZodObject && "meta" in response.shape;
}
