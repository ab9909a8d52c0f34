import type {
  DescMessage,
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { type ServiceName, serviceNames } from "@platform/contracts/services";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import {
  approvalHeader,
  type CallOptions,
  connectGrpc,
  type GrpcConnection,
  type Membership,
  steadyNowMs,
  type TlsSetting,
} from "@platform/kit/rpc/client";
import { membershipsOf } from "@platform/operator-plane/operators";
import { HealthHistoryService } from "@platform/proto/identity/v1/health_history";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { LRUCache } from "lru-cache";
import type { HealthKeeper } from "./health-history.ts";

export type Backend = ReturnType<typeof connectBackend>;

/** The operator who makes the call, and the browser request that causes it. */
export type Caller = {
  /** Token of the operator session at identity-svc. */
  readonly operatorToken: string;
  readonly correlationId: string;
};

export type AskOptions = {
  /** The service to call, for RPCs that several services implement. */
  readonly service?: ServiceName;
  readonly reason?: string;
  /** The approval that the call uses, if it executes an approved action. */
  readonly approvalId?: string;
  /** Longest wait for the response in milliseconds; 10 s by default. */
  readonly timeoutMs?: number;
};

const timeoutMs = 10_000;
/** How long before its expiry an assertion is replaced, in milliseconds. */
const earlyMs = 60_000;
const assertionsMax = 1_000;
const membershipsMs = 3_000;

/** Connects to the services. Every call contains an assertion of the signed-in operator. */
export function connectBackend(addresses: Readonly<Record<ServiceName, string>>, tls: TlsSetting) {
  const connections = Object.fromEntries(
    serviceNames.map((name) => [name, connectGrpc({ address: addresses[name], tls })]),
  ) as Record<ServiceName, GrpcConnection>;
  const access = connections.identity.service(OperatorAccessService);
  const health = connections.identity.service(HealthHistoryService);
  /** Assertions by operator session. An assertion without a reason is reused for many reads. */
  const assertions = new Map<string, { readonly text: string; readonly untilMs: number }>();

  const contextOf = (correlationId: string): CallOptions["context"] => ({
    correlationId,
    operation: "console",
    projectClient: null,
    idempotency: null,
  });
  const assertionOf = async ({ operatorToken, correlationId }: Caller, reason: string | undefined): Promise<string> => {
    const known = assertions.get(operatorToken);
    // The expiry of an assertion is a wall-clock time, so it is compared with Date.now().
    if (reason === undefined && known !== undefined && known.untilMs > Date.now()) return known.text;
    const { assertion, expiresAt } = await access.createOperatorAssertion(
      { sessionToken: operatorToken, reason: reason ?? "", requestId: correlationId },
      { context: contextOf(correlationId), retryUnavailable: true },
    );
    if (reason === undefined) {
      if (assertions.size >= assertionsMax) assertions.clear();
      assertions.set(operatorToken, { text: assertion, untilMs: Number(expiresAt?.seconds ?? 0n) * 1000 - earlyMs });
    }
    return assertion;
  };
  const optionsOf = async (caller: Caller, options: AskOptions): Promise<CallOptions> => ({
    context: contextOf(caller.correlationId),
    metadata: {
      authorization: `Bearer ${await assertionOf(caller, options.reason)}`,
      ...defined({ [approvalHeader]: options.approvalId }),
    },
  });

  const byConsole = () => ({ context: contextOf(newId()), deadlineMs: steadyNowMs() + timeoutMs });

  /** Memberships by operator session. They are reused for as long as the services reuse a person's memberships. */
  const memberships = new LRUCache<string, Promise<readonly Membership[]>>({ max: assertionsMax, ttl: membershipsMs });

  return {
    access,
    /** Returns the projects of a person. Throws unauthenticated once their session has ended. */
    membershipsOf: ({ operatorToken, correlationId }: Caller): Promise<readonly Membership[]> => {
      const known = memberships.get(operatorToken);
      if (known !== undefined) return known;
      const asked = access
        .getOperatorSession(
          { sessionToken: operatorToken },
          { context: contextOf(correlationId), retryUnavailable: true },
        )
        .then(({ session }) => membershipsOf(session?.memberships ?? []));
      memberships.set(operatorToken, asked);
      asked.catch(() => memberships.delete(operatorToken));
      return asked;
    },
    /** Calls to the health history, which the console itself collects for the status page. */
    healthKeeper: {
      record: (minutes) => health.recordHealth({ minutes: [...minutes] }, byConsole()),
      list: async () => (await health.listHealthDays({}, byConsole())).days,
    } satisfies HealthKeeper,
    contextOf,
    /** Removes the cached assertion of a session that has ended. */
    forget: (operatorToken: string): void => void assertions.delete(operatorToken),
    ask: async <I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      request: MessageInitShape<I>,
      caller: Caller,
      options: AskOptions = {},
    ): Promise<MessageShape<O>> => {
      const callOptions = await optionsOf(caller, options);
      const rpc = rpcOf<(request: unknown, options: CallOptions) => Promise<MessageShape<O>>>(method, options);
      return rpc(request, { ...callOptions, deadlineMs: steadyNowMs() + (options.timeoutMs ?? timeoutMs) });
    },
    stream: async <I extends DescMessage, O extends DescMessage>(
      method: DescMethodServerStreaming<I, O>,
      request: MessageInitShape<I>,
      caller: Caller,
      signal: AbortSignal,
    ): Promise<AsyncIterable<MessageShape<O>>> => {
      const callOptions = await optionsOf(caller, {});
      const rpc = rpcOf<(request: unknown, options: CallOptions) => AsyncIterable<MessageShape<O>>>(method, {});
      return rpc(request, { ...callOptions, signal });
    },
    ready: (ms: number): Promise<boolean> => connections.identity.ready(ms),
    close: (): void => {
      for (const connection of Object.values(connections)) connection.close();
    },
  };

  function rpcOf<F>(method: DescMethod, options: AskOptions): F {
    const client = connections[options.service ?? serviceOf(method)].service(method.parent);
    return (client as unknown as Record<string, F>)[method.localName] as F;
  }
}

/** Returns the service that serves a method, which its package determines. */
function serviceOf(method: DescMethod): ServiceName {
  const name = /^projectintegration\.(\w+)\./.exec(method.parent.typeName)?.[1];
  const found = serviceNames.find((service) => service === name);
  if (found === undefined) throw new Error(`${method.parent.typeName} is served by several services`);
  return found;
}
