import { validate } from "@platform/contracts/violations";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { AdmissionControl } from "../admission-control/admission-control.ts";
import type { Release } from "../admission-control/fair-limiter.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { contractViolation, processFull } from "./errors.ts";
import type { Exchange, Stage } from "./exchange.ts";
import { scanJson } from "./parse-json.ts";
import { bodyNotArrived, mayBeLarger, readBody, smallBodyBytes } from "./read-body.ts";
import { type SentRequest, type ValidatedRequest, validateRequest } from "./validate-request.ts";
import type { ValidationThread } from "./validation-thread.ts";

/** Maximum size of a body in bytes, unless the operation's record has another one. */
const bodyBytesMax = 1024 * 1024;

/**
 * Maximum size of a body, in bytes, that is always validated on the event loop. Whatever it contains, that takes at
 * most 4 ms.
 */
export const lightBodyBytes = 8 * 1024;

/**
 * A larger body is validated on the event loop if it has at most this number of JSON values. That takes at most 10 ms,
 * and usually less than one.
 */
export const lightValuesMax = 2_000;

/** A large body has to wait for memory before it is read, and for its caller's turn before it is validated. */
type HeavyBody = {
  readonly reserve: (bytes: number) => Promise<void>;
  readonly validateInTurn: (request: SentRequest) => Promise<ValidatedRequest>;
};

type ParseDependencies = {
  readonly admissionControl: Pick<AdmissionControl, "bodyBytes" | "parsing">;
  readonly validationThread: Pick<ValidationThread, "start" | "validate">;
  readonly metrics: Pick<GatewayMetrics, "requestsShed">;
};

/**
 * Creates the stage that reads and validates headers, path and body, and collects every violation. The later metering
 * stage reports the violations, because a request is counted before it is rejected (counting and claiming are one step
 * in Redis). A large body is read once memory is reserved for it, which remains reserved until the request has ended. A
 * thread validates large bodies and bodies with many values when it is their caller's turn. If they get neither memory
 * nor a turn in time, they are rejected and not counted. The service reads the body of a proxied request.
 */
export function parseRequest({ admissionControl, validationThread, metrics }: ParseDependencies): Stage {
  const { bodyBytes, parsing } = admissionControl;
  const parseHeavy: Stage = async (exchange, next) => {
    let release: Release | null = null;
    let refusal: ServiceError | null = null;
    const refuse = (reason: "body_bytes" | "parsing"): ServiceError => {
      if (exchange.signal().aborted) return bodyNotArrived();
      metrics.requestsShed.inc({ reason });
      refusal = processFull();
      return refusal;
    };
    const heavy: HeavyBody = {
      reserve: async (bytes) => {
        // The first large body starts the thread, so that it is ready by the time the body has arrived. If the thread
        // cannot start, the error is reported when the body is validated.
        validationThread.start().catch(() => {});
        release = await bodyBytes.enter(callerOf(exchange), bytes, exchange.signal);
        if (release === null) throw refuse("body_bytes");
      },
      validateInTurn: async (request) => {
        let validated: ValidatedRequest | null = null;
        // The thread is started before the body has its turn, because the caller must be charged only for the time of
        // its own body.
        await validationThread.start();
        const work = async (): Promise<void> => {
          validated = await validationThread.validate(exchange.operation.id, request);
        };
        await parsing.run(callerOf(exchange), work, exchange.signal());
        if (validated === null) throw refuse("parsing");
        return validated;
      },
    };
    try {
      await parseAndNote(exchange, heavy);
      if (refusal !== null) throw refusal;
      return await next();
    } finally {
      (release as Release | null)?.();
    }
  };
  return (exchange, next) => {
    if (exchange.operation.transport === "proxy") {
      exchange.params = validatePath(exchange);
      return next();
    }
    const isLight = !mayBeLarger(exchange.request, lightBodyBytes);
    return isLight ? parseAndNote(exchange, null).then(next) : parseHeavy(exchange, next);
  };
}

/** Returns the caller to whose share of memory and validation time a body counts. */
function callerOf({ client, session, network }: Exchange): string {
  return client?.id ?? session?.accountId ?? network;
}

/** Validates the path parameters. @throws ServiceError contract_violation */
function validatePath({ operation, rawParams }: Exchange): unknown {
  if (operation.params === null) return undefined;
  const params = validate(operation.params, rawParams, "path:");
  if (!params.ok) throw contractViolation(params.violations);
  return params.value;
}

async function parseAndNote(exchange: Exchange, heavy: HeavyBody | null): Promise<void> {
  try {
    await parse(exchange, heavy);
  } catch (error) {
    exchange.parseError = error as Error;
  }
}

async function parse(exchange: Exchange, heavy: HeavyBody | null): Promise<void> {
  const { operation, request, rawParams } = exchange;
  const {
    "content-encoding": encoding,
    "content-type": contentType,
    "idempotency-key": idempotencyKey,
  } = request.headers;
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new ServiceError("unsupported_media_type", "Send the body without Content-Encoding.");
  }
  const bytes = await readBody(request, operation.bodyBytesMax ?? bodyBytesMax, heavy?.reserve ?? null);
  const isMedium = bytes.byteLength > lightBodyBytes && bytes.byteLength <= smallBodyBytes;
  const scan = isMedium ? scanJson(bytes) : null;
  const sent: SentRequest = { rawParams, contentType, idempotencyKey, bytes, scan };
  const isHeavy = bytes.byteLength > smallBodyBytes || (scan !== null && scan.values > lightValuesMax);
  const validated = heavy !== null && isHeavy ? await heavy.validateInTurn(sent) : validateRequest(operation, sent);
  exchange.params = validated.params;
  exchange.body = validated.body;
  exchange.idempotency = validated.idempotency;
}
