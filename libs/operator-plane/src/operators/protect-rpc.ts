import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Operator } from "@platform/kit/rpc/client";
import { isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import type { ServedService, ServerCall } from "@platform/kit/rpc/server";
import { isReadLimitError, withReadLimit } from "@platform/kit/store/schema";
import type { OperatorAccess } from "@platform/proto/operator/v1/access";
import type { Counter } from "@prometheus-io/client";
import { rpcName } from "./access.ts";
import { admitOperator } from "./admit.ts";
import { operatorChainId } from "./operator-chain.ts";
import { looksUp, type Mask, maskOf, seesMasked } from "./personal-data.ts";
import type { CallRecorder } from "./record-calls.ts";
import { untilExpiry } from "./until-expiry.ts";

/** Longest read of the database for an operator's list, in milliseconds. */
const readMs = 3_000;

/** The implementation of an RPC. */
export type Rpc = ServedService["implementation"][string];

/** Records a call of one method, whose Project Client it knows how to find. */
export type RecordCall = (operator: Operator, request: Message, call: ServerCall) => ReturnType<CallRecorder>;

type Request = Message & { readonly reveal?: unknown };

/** Steps around the RPC in each call of a method. */
export type Protection = {
  readonly method: DescMethod;
  readonly access: OperatorAccess;
  readonly record: RecordCall;
  readonly refused: Counter<"rpc" | "code">;
  readonly now: () => number;
};

/** Runs the RPC when the operator may call it; a machine or the gateway, admitted by the guard, runs it unrecorded. */
export function protectUnary(rpc: Rpc, protection: Protection): Rpc {
  const run = rpc as unknown as (request: Request, call: ServerCall) => Promise<object>;
  const admit = createAdmission(protection);
  return async (request: Request, call) => {
    const { operator } = call;
    const admitted = admit(request, call);
    if (operator === null || admitted === null) return run(request, call);
    const answer = (): Promise<object> =>
      protection.access.recorded ? run(request, call) : runRead(() => run(request, call));
    const shown = async (): Promise<object> => {
      const reply = await answer();
      return admitted.mask?.(reply) ?? reply;
    };
    if (!admitted.isRecorded) return shown();
    const recording = await protection.record(operator, request, call);
    try {
      const reply = await shown();
      await recording.succeeded(reply);
      return reply;
    } catch (error) {
      await recording.failed(error);
      throw error;
    }
  };
}

/** The same for a stream, which succeeds when it ends, its reader leaves or the reader's assertion expires. */
export function protectStream(rpc: Rpc, protection: Protection): Rpc {
  const run = rpc as unknown as (request: Request, call: ServerCall) => AsyncIterable<object>;
  const admit = createAdmission(protection);
  return async function* (request: Request, call) {
    const { operator } = call;
    const admitted = admit(request, call);
    if (operator === null || admitted === null) return yield* run(request, call);
    const { mask } = admitted;
    const bounded = (record: (reply: object) => void) =>
      untilExpiry(call, operator.expiresAtMs, protection.now, async function* (boundedCall) {
        for await (const reply of run(request, boundedCall)) {
          record(reply);
          yield mask?.(reply) ?? reply;
        }
      });
    if (!admitted.isRecorded) return yield* bounded(() => {});
    const recording = await protection.record(operator, request, call);
    let failure: { readonly error: unknown } | null = null;
    let last: object | null = null;
    try {
      yield* bounded((reply) => {
        last = reply;
      });
    } catch (error) {
      if (!isServiceError(error, "unauthenticated")) failure = { error };
      throw error;
    } finally {
      await (failure === null ? recording.succeeded(last) : recording.failed(failure.error));
    }
  };
}

/**
 * Admits a call.
 * @returns whether it is recorded, and how each reply is masked; null for a machine or the gateway, which the guard has admitted
 */
function createAdmission({ method, access, refused }: Protection) {
  const mask = maskOf(method.output);
  return (request: Request, { operator, logger }: ServerCall): { isRecorded: boolean; mask: Mask | null } | null => {
    if (operator === null) return null;
    try {
      const { isRecorded } = admitOperator(operator, access, request);
      const isMasked = seesMasked(operator);
      // The operators' own chain names no person of a project, and a record of each look at it would never come to its end.
      const isOfOperators = Reflect.get(request, "projectClientId") === operatorChainId;
      const isLook = (mask !== null && !isMasked && !isOfOperators) || looksUp(method.input, request);
      return { isRecorded: isRecorded || isLook, mask: isMasked ? mask : null };
    } catch (error) {
      const code = isServiceError(error) ? error.code : "internal_error";
      refused.inc({ rpc: rpcName(method), code });
      logger.warn({ who: operator.subject, code }, "an operator's call was refused");
      throw error;
    }
  };
}

/** Runs an RPC that only reads: the database ends a read that takes too long, so that no list holds up everybody else. */
async function runRead(run: () => Promise<object>): Promise<object> {
  try {
    return await withReadLimit(readMs, run);
  } catch (error) {
    if (!isReadLimitError(error)) throw error;
    throw new ServiceError(
      "query_too_slow",
      `This read took longer than ${readMs / 1_000} s and was ended; narrow it by client, status or time.`,
      { cause: error },
    );
  }
}
