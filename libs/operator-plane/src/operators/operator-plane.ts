import type { DescMethod } from "@bufbuild/protobuf";
import { ServiceError } from "@platform/kit/rpc/errors";
import {
  callerGuard,
  type Guard,
  implementForOperators,
  type OtherCallers,
  type ServedService,
} from "@platform/kit/rpc/server";
import { ClientSource, type OperatorAccess } from "@platform/proto/operator/v1/access";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { Counter, type Registry } from "@prometheus-io/client";
import { accessOf, memberRolesOf, rpcName } from "./access.ts";
import { createAdmission } from "./admission.ts";
import type { Authenticate } from "./authenticate.ts";
import { type ClientOfCall, clientOfCall } from "./client-of-call.ts";
import { type ClientExists, forKnownClient } from "./known-clients.ts";
import { listOperatorActions } from "./list-operator-actions.ts";
import { forOnlyClient } from "./only-client.ts";
import type { OperatorActionStore } from "./operator-actions.ts";
import { protectStream, protectUnary, type Rpc } from "./protect-rpc.ts";
import { createCallRecorder } from "./record-calls.ts";
import { subjectOfRequest } from "./recorded-request.ts";
import type { FindOwner, ResourceOwners } from "./resource-owners.ts";
import { type Approvals, forSecondPerson } from "./second-person.ts";

type PlaneOptions = {
  readonly authenticate: Authenticate;
  readonly store: OperatorActionStore;
  /** The service's key, with which addresses are hashed before they are recorded. */
  readonly key: Uint8Array;
  readonly clientExists: ClientExists;
  readonly approvals: Approvals;
  /** True if actions with the option `second_person` require the approval of another person (SECOND_PERSON). */
  readonly isSecondPersonOn: boolean;
  readonly clock: () => Date;
  readonly registry: Registry;
  /** Where the service stores the resources that requests name, and how to find their owners. */
  readonly owners: ResourceOwners;
  readonly findOwner: FindOwner;
  /** Called when an action has ended. */
  readonly onSettled: () => void;
};

/** Admits operators to their RPCs, and records their actions. */
export type OperatorPlane = {
  /** Wraps a service so that operators are admitted and their calls are recorded where the RPC requires it. */
  protect(service: ServedService): ServedService;
  /** The service that lists recorded actions. */
  readonly actions: ServedService;
};

export function createOperatorPlane(options: PlaneOptions): OperatorPlane {
  const { authenticate, store, key, clientExists, clock, registry, onSettled } = options;
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

  const guardOf = (others: OtherCallers): Guard => {
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
  const clientOfCalls = (method: DescMethod, access: OperatorAccess): ClientOfCall => {
    const saysHow =
      access.recorded ||
      access.canReveal ||
      access.client !== ClientSource.UNSPECIFIED ||
      memberRolesOf(access).length > 0;
    // The Project Client of a recorded read is taken from the request; if the request has none, from the reply.
    const ofLook: ClientOfCall = async (request) => subjectOfRequest(request).clientId;
    return saysHow ? clientOfCall(method, access, options.owners, options.findOwner) : ofLook;
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
        const clientOf = clientOfCalls(method, access);
        const { approvals, isSecondPersonOn: isOn } = options;
        const steps = forSecondPerson({ method, access, rpc, approvals, isOn, clientOf, key });
        const bounded = forOnlyClient(method, access, steps.rpc, options.owners, options.findOwner);
        const now = (): number => clock().getTime();
        implementation[method.localName] = protect(forKnownClient(method, bounded, clientExists), {
          access,
          admit: createAdmission({ method, access, clientOf, owners: options.owners, refused, now }),
          record: (operator, roles, askedBy, request, call) =>
            record({ operator, roles, askedBy }, method, request, call, clientOf),
          useApproval: steps.use,
          authenticate,
          now,
        });
      }
      return { ...service, implementation, guard: guardOf(service.operators) };
    },
    actions: implementForOperators(OperatorActionAdminService, { listOperatorActions: listOperatorActions(store) }),
  };
}
