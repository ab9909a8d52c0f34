import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { OperatorAccess } from "@platform/proto/operator/v1/access";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { Counter, type Registry } from "@prometheus-io/client";
import { ServiceError } from "../errors/service-error.ts";
import { callerGuard } from "../grpc/caller-identity.ts";
import type { CallGuard, ServerCall } from "../grpc/incoming-call.ts";
import { implementForOperators, type OtherCallers, type ServedService } from "../grpc/served-service.ts";
import type { OperatorActionStore } from "../mongo/operator-actions.ts";
import { accessOf, rpcName } from "./access.ts";
import { admitOperator } from "./admit.ts";
import type { Authenticate } from "./authenticate.ts";
import { listOperatorActions } from "./list-operator-actions.ts";
import { type CallRecorder, createCallRecorder } from "./record-calls.ts";

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
        implementation[method.localName] = protect(method, access, rpc, record);
      }
      return { ...service, implementation, guard: guardOf(service.operators) };
    },
    actions: implementForOperators(OperatorActionAdminService, { listOperatorActions: listOperatorActions(store) }),
  };
}

type Request = Message & { readonly reveal?: unknown };

/** Runs the RPC when the operator may call it; a machine or the gateway, admitted by the guard, runs it unrecorded. */
function protectUnary(method: DescMethod, access: OperatorAccess, rpc: Rpc, record: CallRecorder): Rpc {
  const run = rpc as unknown as (request: Request, call: ServerCall) => Promise<object>;
  return async (request: Request, call) => {
    const { operator } = call;
    if (operator === null || !admitOperator(operator, access, request).isRecorded) return run(request, call);
    const recording = await record(operator, method, request, call);
    try {
      const reply = await run(request, call);
      await recording.succeeded(reply);
      return reply;
    } catch (error) {
      await recording.failed(error);
      throw error;
    }
  };
}

/** The same for a stream, which succeeds when it ends or its reader leaves. */
function protectStream(method: DescMethod, access: OperatorAccess, rpc: Rpc, record: CallRecorder): Rpc {
  const run = rpc as unknown as (request: Request, call: ServerCall) => AsyncIterable<object>;
  return async function* (request: Request, call) {
    const { operator } = call;
    if (operator === null || !admitOperator(operator, access, request).isRecorded) return yield* run(request, call);
    const recording = await record(operator, method, request, call);
    let failure: { readonly error: unknown } | null = null;
    let last: object | null = null;
    try {
      for await (const reply of run(request, call)) {
        last = reply;
        yield reply;
      }
    } catch (error) {
      failure = { error };
      throw error;
    } finally {
      await (failure === null ? recording.succeeded(last) : recording.failed(failure.error));
    }
  };
}
