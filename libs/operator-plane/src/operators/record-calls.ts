import type { DescMethod, Message } from "@bufbuild/protobuf";
import { type Operator, steadyNowMs } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import { rpcName } from "./access.ts";
import type { ClientOfCall } from "./client-of-call.ts";
import type { OperatorAction, OperatorActionStore } from "./operator-actions.ts";
import { recordedRequest, subjectOfReply, subjectOfRequest, withoutAddresses } from "./recorded-request.ts";

/** A call is settled within this time after its deadline, in milliseconds. Afterwards it counts as abandoned. */
const graceMs = 60_000;
/** Assumed duration of a call that has no deadline, in milliseconds. */
const callMsMax = 60 * 60_000;

type Recording = { succeeded(reply: object | null): Promise<void>; failed(error: unknown): Promise<void> };

/** Records a call before it takes effect, and its outcome afterwards. */
export type CallRecorder = (
  caller: {
    readonly operator: Operator;
    /** The roles that admitted the call, and the other roles of the person. */
    readonly roles: readonly string[];
    /** Subject of the person who requested the action, if this call approves it; otherwise null. */
    readonly askedBy: string | null;
  },
  method: DescMethod,
  request: Message,
  call: ServerCall,
  clientOf: ClientOfCall,
) => Promise<Recording>;

/**
 * @param key the service's key, with which addresses are hashed
 * @param onSettled called when an action has ended
 * @returns the recorder. If the action cannot be recorded, the call is not executed. If its outcome cannot be recorded,
 * the action later counts as abandoned
 */
export function createCallRecorder(
  store: OperatorActionStore,
  key: Uint8Array,
  clock: () => Date,
  onSettled: () => void,
): CallRecorder {
  const settle = async (
    { id }: OperatorAction,
    end: Parameters<OperatorActionStore["settle"]>[1],
    call: ServerCall,
  ): Promise<void> => {
    try {
      await store.settle(id, end, clock());
      onSettled();
    } catch (error) {
      call.logger.error({ err: error, resource_id: id }, "the outcome of an operator action could not be recorded");
    }
  };
  return async ({ operator, roles, askedBy }, method, request, call, clientOf) => {
    const at = clock();
    const { resource } = subjectOfRequest(request);
    const clientId = await clientOf(request);
    const leftMs = Math.max(0, Math.min(call.deadlineMs - steadyNowMs(), callMsMax));
    const action = await store.begin(
      {
        at,
        who: operator.subject,
        name: operator.name,
        roles,
        rpc: rpcName(method),
        client_id: clientId ?? call.projectClient?.id ?? null,
        resource,
        reason: operator.reason === null ? null : withoutAddresses(operator.reason, key),
        correlation_id: call.correlationId,
        request_json: recordedRequest(method.input, request, key),
        via: operator.via ?? null,
        asked_by: askedBy,
      },
      new Date(at.getTime() + leftMs + graceMs),
    );
    const { client_id, resource: named } = action;
    return {
      succeeded: (reply) => {
        const about = subjectOfReply(reply ?? {});
        const subject = { client_id: client_id ?? about.clientId, resource: named ?? about.resource };
        return settle(action, { outcome: "succeeded", error: null, ...subject }, call);
      },
      failed: (error) => {
        const code = isServiceError(error) ? error.code : "internal_error";
        return settle(action, { outcome: "failed", error: code, client_id, resource: named }, call);
      },
    };
  };
}
