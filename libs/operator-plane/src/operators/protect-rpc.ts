import type { Message } from "@bufbuild/protobuf";
import type { Operator } from "@platform/kit/rpc/client";
import { isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import type { ServedService, ServerCall } from "@platform/kit/rpc/server";
import { isReadLimitError, withReadLimit } from "@platform/kit/store/schema";
import type { OperatorAccess } from "@platform/proto/operator/v1/access";
import type { Admit, Request } from "./admission.ts";
import type { CallRecorder } from "./record-calls.ts";
import { untilExpiry } from "./until-expiry.ts";

/** Time limit for each database read of an operator's list, in milliseconds. */
const readMs = 3_000;

/** The implementation of an RPC. */
export type Rpc = ServedService["implementation"][string];

/**
 * Records a call of one method and finds its Project Client. `askedBy` is null unless the call approves another
 * person's action.
 */
export type RecordCall = (
  operator: Operator,
  roles: readonly string[],
  askedBy: string | null,
  request: Message,
  call: ServerCall,
) => ReturnType<CallRecorder>;

/**
 * Consumes the approval that a call names.
 * @returns subject of the person who requested the action; null if the call names no approval
 */
export type UseApproval = (operator: Operator, request: Message, call: ServerCall) => Promise<string | null>;

/** The steps before and after the RPC in each call of a method. */
export type Protection = {
  readonly access: OperatorAccess;
  readonly admit: Admit;
  readonly record: RecordCall;
  readonly useApproval: UseApproval;
  /** Authenticates the caller of an open stream once more. */
  readonly authenticate: (call: ServerCall) => Promise<Operator>;
  readonly now: () => number;
};

/**
 * Wraps a unary RPC so that it runs only if the operator may call it. The guard has already admitted machines and the
 * gateway, whose calls are not recorded.
 */
export function protectUnary(rpc: Rpc, { access, admit, record, useApproval }: Protection): Rpc {
  const run = rpc as unknown as (request: Request, call: ServerCall) => Promise<object>;
  return async (asked: Request, call) => {
    const { operator } = call;
    const admitted = await admit(asked, call);
    if (operator === null || admitted === null) return run(asked, call);
    const { request } = admitted;
    const answer = (): Promise<object> => (access.recorded ? run(request, call) : runRead(() => run(request, call)));
    const shown = async (): Promise<object> => {
      const reply = await answer();
      return admitted.mask?.(reply) ?? reply;
    };
    if (!admitted.isRecorded) return shown();
    const askedBy = await useApproval(operator, request, call);
    const recording = await record(operator, admitted.roles, askedBy, request, call);
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

/**
 * Wraps a streaming RPC in the same way. The call is successful if the stream ends, its reader disconnects, or the
 * reader's assertion expires.
 */
export function protectStream(rpc: Rpc, { admit, record, authenticate, now }: Protection): Rpc {
  const run = rpc as unknown as (request: Request, call: ServerCall) => AsyncIterable<object>;
  return async function* (asked: Request, call) {
    const { operator, logger, projectClient } = call;
    const admitted = await admit(asked, call);
    if (operator === null || admitted === null) return yield* run(asked, call);
    const { mask, request } = admitted;
    const readmit = async (): Promise<void> => {
      const present = await authenticate(call);
      await admit(asked, { operator: present, logger, projectClient });
    };
    const bounded = (note: (reply: object) => void) =>
      untilExpiry(call, { expiresAtMs: operator.expiresAtMs, now, readmit }, async function* (boundedCall) {
        for await (const reply of run(request, boundedCall)) {
          note(reply);
          yield mask?.(reply) ?? reply;
        }
      });
    if (!admitted.isRecorded) return yield* bounded(() => {});
    const recording = await record(operator, admitted.roles, null, request, call);
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

/** Runs an RPC that only reads. The database aborts a read that takes too long, so that no list delays other work. */
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
