import { type DescMethod, type Message, toBinary } from "@bufbuild/protobuf";
import { newId } from "@platform/kit/process/secrets";
import { approvalHeader, type CallContext, type GrpcConnection, type Operator } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import { ApprovalService } from "@platform/proto/identity/v1/approval";
import type { OperatorAccess } from "@platform/proto/operator/v1/access";
import { rpcName } from "./access.ts";
import type { ClientOfCall } from "./client-of-call.ts";
import type { Rpc, UseApproval } from "./protect-rpc.ts";
import { recordedRequest, withoutAddresses } from "./recorded-request.ts";

/** A person who requests or approves an action. */
export type ApprovalPerson = {
  /** Subject at the identity provider, or `break-glass`. */
  readonly subject: string;
  readonly name: string;
  readonly isRoot: boolean;
};

/** An action for which a person requests approval. */
export type AskedAct = {
  /** Full name of its RPC. */
  readonly rpc: string;
  /** The words of the command that performs the action. */
  readonly act: string;
  readonly request: Uint8Array;
  /** The request as JSON, without secrets and email addresses. */
  readonly requestJson: string;
  /** Id of the Project Client; empty if the action does not concern one. */
  readonly projectClientId: string;
  /** True if approval is required only for Project Clients of the environment production. */
  readonly inProduction: boolean;
  readonly askedBy: ApprovalPerson;
  /** The reason without email addresses; empty if none was given. */
  readonly reason: string;
};

/** An approval that a second person gives to a requested action. */
export type GivenApproval = {
  readonly approvalId: string;
  readonly rpc: string;
  readonly request: Uint8Array;
  readonly approvedBy: ApprovalPerson;
};

/** Requests and approvals of actions, which identity-svc stores. */
export type Approvals = {
  /** Stores a request for approval. @returns the id of the approval; empty if the action does not require one */
  request(asked: AskedAct): Promise<string>;
  /**
   * Consumes an approval, which can be used once.
   * @returns subject of the person who requested the action
   * @throws ServiceError approval_not_found, approval_decided, approval_expired, approval_mismatch, permission_denied
   */
  use(given: GivenApproval): Promise<string>;
};

/**
 * Accesses the approvals at identity-svc. A call is never repeated, because the first one may have consumed the
 * approval.
 */
export function approvalsAt(identity: GrpcConnection): Approvals {
  const service = identity.service(ApprovalService);
  const options = () => ({ context: { ...ownContext, correlationId: newId() } });
  return {
    request: async (asked) => (await service.requestApproval(asked, options())).approvalId,
    use: async (given) => (await service.useApproval(given, options())).askedBy,
  };
}

const ownContext: CallContext = { correlationId: "", operation: "approvals", projectClient: null, idempotency: null };

/** The two steps around an RPC whose actions can require a second person. */
export type SecondPersonSteps = {
  /**
   * The RPC, wrapped so that it runs only if the call has an approval. Any other call stores a request for approval and
   * throws second_person_required.
   */
  readonly rpc: Rpc;
  /**
   * Consumes the approval of a call. Throws the ServiceErrors of `Approvals.use`, and permission_denied for an
   * assistant, because only a person may approve.
   */
  readonly use: UseApproval;
};

type Options = {
  readonly method: DescMethod;
  readonly access: Pick<OperatorAccess, "secondPerson">;
  readonly rpc: Rpc;
  readonly approvals: Approvals;
  /** True if the platform requires approvals (SECOND_PERSON). */
  readonly isOn: boolean;
  readonly clientOf: ClientOfCall;
  /** The service's key, with which email addresses are hashed. */
  readonly key: Uint8Array;
};

/**
 * Makes the actions of a method require a second person. An approval is valid for one request only: the bytes of the
 * request are compared, so that the second person cannot be tricked into running another one. The approval is consumed
 * before the RPC runs. If the process is killed in between, nothing has happened, and approval has to be requested
 * again. If the approval were consumed afterwards, the action could run twice.
 */
export function forSecondPerson({ method, access, rpc, approvals, isOn, clientOf, key }: Options): SecondPersonSteps {
  const rule = access.secondPerson;
  if (rule === undefined) return { rpc, use: async () => null };
  const run = rpc as unknown as (request: Message, call: ServerCall) => Promise<object>;
  // The bytes that are compared contain unknown fields as well. Otherwise, another request could look like the approved
  // one.
  const bytesOf = (request: Message): Uint8Array => toBinary(method.input, request, { writeUnknownFields: false });
  const approved = new WeakSet<ServerCall>();
  const waiting = async (request: Message, call: ServerCall): Promise<object> => {
    const { operator } = call;
    if (!isOn || operator === null || approved.has(call)) return run(request, call);
    const approvalId = await approvals.request({
      rpc: rpcName(method),
      act: rule.act,
      request: bytesOf(request),
      requestJson: recordedRequest(method.input, request, key),
      projectClientId: (await clientOf(request)) ?? "",
      inProduction: rule.inProduction,
      askedBy: personOf(operator),
      reason: operator.reason === null ? "" : withoutAddresses(operator.reason, key),
    });
    if (approvalId === "") return run(request, call);
    throw new ServiceError(
      "second_person_required",
      `Another person with the role security has to approve this within 24 hours: platformctl approvals approve --approval ${approvalId}`,
      { details: { approval_id: approvalId } },
    );
  };
  return {
    rpc: waiting as Rpc,
    use: async (operator, request, call) => {
      const approvalId = call.metadata.get(approvalHeader) ?? "";
      if (approvalId === "") return null;
      if (operator.via !== undefined || operator.onlyClientId !== undefined)
        throw new ServiceError("permission_denied", "An act is approved by a person, not by an assistant.");
      const given = { approvalId, rpc: rpcName(method), request: bytesOf(request), approvedBy: personOf(operator) };
      const askedBy = await approvals.use(given);
      approved.add(call);
      return askedBy;
    },
  };
}

const personOf = ({ subject, name, roles }: Operator): ApprovalPerson => ({
  subject,
  name,
  isRoot: roles.includes("root"),
});
