import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { OperatorAccess } from "@platform/proto/operator/v1/access";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { Counter, type Registry } from "@prometheus-io/client";
import { isServiceError, ServiceError } from "../errors/service-error.ts";
import { callerGuard } from "../grpc/caller-identity.ts";
import type { CallGuard, ServerCall } from "../grpc/incoming-call.ts";
import { implementForOperators, type OtherCallers, type ServedService } from "../grpc/served-service.ts";
import type { OperatorActionStore } from "../mongo/operator-actions.ts";
import { accessOf, rpcName } from "./access.ts";
import { admitOperator } from "./admit.ts";
import type { Authenticate } from "./authenticate.ts";
import { listOperatorActions } from "./list-operator-actions.ts";
import { looksUp, type Mask, maskOf, seesMasked } from "./personal-data.ts";
import { type CallRecorder, createCallRecorder } from "./record-calls.ts";
import { untilExpiry } from "./until-expiry.ts";

type PlaneOptions = {
  readonly authenticate: Authenticate;
  readonly store: OperatorActionStore;
  /** The service's key, for the hashes of addresses in the record. */
  readonly key: Uint8Array;
  readonly clock: () => Date;
  readonly registry: Registry;
  /** Called when an action has ended. */
  readonly onSettled: () => void;
};

/** Admits operators to their RPCs, and records their actions. */
export type OperatorPlane = {
  /** Wraps a service with admission and the record of each call that needs one. */
  protect(service: ServedService): ServedService;
  /** The service that lists the record. */
  readonly actions: ServedService;
};

type Rpc = ServedService["implementation"][string];

export function createOperatorPlane(options: PlaneOptions): OperatorPlane {
  const { authenticate, store, key, clock, registry, onSettled } = options;
  const record = createCallRecorder(store, key, clock, onSettled);
  const breakGlass = new Counter({
    name: "platform_operator_break_glass_total",
    help: "Calls of operator RPCs with the break-glass token.",
    labelNames: ["rpc"],
    registers: [registry],
  });

  const refused = new Counter({
    name: "platform_operator_refused_total",
    help: "Calls of operator RPCs that were refused for want of a role or a reason.",
    labelNames: ["rpc", "code"],
    registers: [registry],
  });

  const guardOf = (others: OtherCallers): CallGuard => {
    const isOperator = callerGuard("operator", "console");
    const isGateway = callerGuard("gateway");
    return async (method, call) => {
      if ((await others.machine?.(method, call)) === true) return null;
      const isAnonymous = call.metadata.get("authorization") === undefined;
      if (others.gateway === true && call.caller !== "operator" && call.caller !== "console" && isAnonymous) {
        isGateway(method, call);
        return null;
      }
      isOperator(method, call);
      const operator = await authenticate(call);
      if (operator.isBreakGlass && call.caller === "console")
        throw new ServiceError(
          "unauthenticated",
          "The console calls for people who are signed in, not with the token.",
        );
      if (operator.isBreakGlass) breakGlass.inc({ rpc: rpcName(method) });
      return operator;
    };
  };
  return {
    protect: (service) => {
      if (service.operators === undefined) return service;
      const implementation: Record<string, Rpc> = {};
      for (const method of service.desc.methods) {
        const access = accessOf(method);
        const rpc = service.implementation[method.localName];
        if (access === null || rpc === undefined)
          throw new Error(`${rpcName(method)} has no operator_access or no implementation`);
        const protect = method.methodKind === "server_streaming" ? protectStream : protectUnary;
        implementation[method.localName] = protect(rpc, {
          method,
          access,
          record,
          refused,
          now: () => clock().getTime(),
        });
      }
      return { ...service, implementation, guard: guardOf(service.operators) };
    },
    actions: implementForOperators(OperatorActionAdminService, { listOperatorActions: listOperatorActions(store) }),
  };
}

type Request = Message & { readonly reveal?: unknown };

/** What the calls of a method do besides the RPC. */
type Protection = {
  readonly method: DescMethod;
  readonly access: OperatorAccess;
  readonly record: CallRecorder;
  readonly refused: Counter<"rpc" | "code">;
  readonly now: () => number;
};

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
      const isLook = (mask !== null && !isMasked) || looksUp(method.input, request);
      return { isRecorded: isRecorded || isLook, mask: isMasked ? mask : null };
    } catch (error) {
      const code = isServiceError(error) ? error.code : "internal_error";
      refused.inc({ rpc: rpcName(method), code });
      logger.warn({ who: operator.subject, code }, "an operator's call was refused");
      throw error;
    }
  };
}

/** Runs the RPC when the operator may call it; a machine or the gateway, admitted by the guard, runs it unrecorded. */
function protectUnary(rpc: Rpc, protection: Protection): Rpc {
  const run = rpc as unknown as (request: Request, call: ServerCall) => Promise<object>;
  const admit = createAdmission(protection);
  return async (request: Request, call) => {
    const { operator } = call;
    const admitted = admit(request, call);
    const shown = async (): Promise<object> => {
      const reply = await run(request, call);
      return admitted?.mask?.(reply) ?? reply;
    };
    if (operator === null || admitted?.isRecorded !== true) return shown();
    const recording = await protection.record(operator, protection.method, request, call);
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
function protectStream(rpc: Rpc, protection: Protection): Rpc {
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
    const recording = await protection.record(operator, protection.method, request, call);
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
