import type { DescMethod, Message } from "@bufbuild/protobuf";
import { type Operator, steadyNowMs } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import { rpcName } from "./access.ts";
import type { ClientOfCall } from "./client-of-call.ts";
import type { OperatorAction, OperatorActionStore } from "./operator-actions.ts";
import { recordedRequest, subjectOfReply, subjectOfRequest, withoutAddresses } from "./recorded-request.ts";

/** Time after its deadline within which a call is settled. Afterwards it counts as abandoned. */
const graceMs = 60_000;
/** Assumed deadline of a call without one. */
const callMsMax = 60 * 60_000;

type Recording = { succeeded(reply: object | null): Promise<void>; failed(error: unknown): Promise<void> };

/** Records a call before it takes effect, and its outcome afterwards. */
export type CallRecorder = (
  caller: {
    readonly operator: Operator;
    /** The roles that admitted the call, and the person's other roles. */
    readonly roles: readonly string[];
    /** For a call that approves an act: subject of the person who requested it. */
    readonly askedBy: string | null;
  },
  method: DescMethod,
  request: Message,
  call: ServerCall,
  clientOf: ClientOfCall,
) => Promise<Recording>;

/**
 * @param key the service's key, which is used to hash addresses
 * @param onSettled called when an action has ended
 * @returns the recorder. If the first write fails, the call is not executed; if the last one fails, the action later
 * counts as abandoned
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
