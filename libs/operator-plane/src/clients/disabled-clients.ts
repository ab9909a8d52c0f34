import { jittered, startPollLoop } from "@platform/kit/jobs/pacing";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import {
  type CallOptions,
  connectGrpc,
  type ServiceClient,
  steadyNowMs,
  type TlsSetting,
} from "@platform/kit/rpc/client";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import type { FollowChannel } from "@platform/quota/follow-channel";
import { identityChangesChannel, readIdentityChange } from "./identity-changes.ts";

/** A set of Project Clients, such as the disabled ones. */
export type DisabledClients = {
  has(clientId: string): boolean;
  /** Ids of the clients in the set, for queries that exclude them. */
  ids(): string[];
  close(): Promise<void>;
};

const readEveryMs = 5_000;
const failedMs = 1_000;
const firstReadMsMax = 1_000;
const readMsMax = 3_000;

type WatchOptions = {
  readonly identity: { readonly address: string; readonly tls: TlsSetting };
  readonly follow: FollowChannel;
  readonly logger: Logger;
};
type Identity = ServiceClient<typeof AuthenticationService>;
/** Reads one page of the ids of a set, starting after `afterId`. */
type ReadPage = (service: Identity, afterId: string, call: CallOptions) => Promise<{ projectClientIds: string[] }>;

/** Maintains the set of disabled Project Clients. */
export function watchDisabledClients(options: WatchOptions): Promise<DisabledClients> {
  return watchClients(options, (service, afterId, call) => service.listDisabledProjectClients({ afterId }, call));
}

/** Maintains the set of Project Clients that have turned platform events on. */
export function watchPlatformEventClients(options: WatchOptions): Promise<DisabledClients> {
  return watchClients(options, (service, afterId, call) => service.listPlatformEventClients({ afterId }, call));
}

/**
 * Maintains a set of Project Clients. The set is read from identity-svc at startup, after each announced change, and
 * every few seconds, so that a missed announcement delays a change by less than 10 seconds. While identity-svc does not
 * respond, the last set is used. Resolves after the first reading, or after a second if it does not succeed, so that a
 * service can start without identity-svc.
 */
async function watchClients(options: WatchOptions, readPage: ReadPage): Promise<DisabledClients> {
  const { logger } = options;
  const connection = connectGrpc(options.identity);
  const service = connection.service(AuthenticationService);
  let known: ReadonlySet<string> = new Set();
  let isFailing = false;

  const firstRead = Promise.withResolvers<void>();
  const timer = setTimeout(firstRead.resolve, firstReadMsMax);
  const loop = startPollLoop({
    round: async (signal) => {
      known = await readAll(service, readPage, signal);
      isFailing = false;
      clearTimeout(timer);
      firstRead.resolve();
      return jittered(readEveryMs);
    },
    failed: (error, signal) => {
      if (!isFailing && !signal.aborted)
        logger.warn({ err: error }, "a set of Project Clients could not be read; the process keeps the previous one");
      isFailing = true;
      return jittered(failedMs);
    },
  });
  const feed = options.follow(identityChangesChannel, {
    onMessage: (message) => {
      const change = readIdentityChange(message);
      if (change === null || change.kind === "client") loop.wake();
    },
    onSubscribed: loop.wake,
  });
  await firstRead.promise;
  return {
    has: (clientId) => known.has(clientId),
    ids: () => [...known],
    close: async () => {
      feed.close();
      await loop.stop();
      connection.close();
    },
  };
}

async function readAll(service: Identity, readPage: ReadPage, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const context = {
    correlationId: newId(),
    operation: "readProjectClients",
    projectClient: null,
    idempotency: null,
  };
  for (let afterId = ""; ; ) {
    const call = { context, signal, deadlineMs: steadyNowMs() + readMsMax };
    const { projectClientIds } = await readPage(service, afterId, call);
    for (const id of projectClientIds) ids.add(id);
    const last = projectClientIds.at(-1);
    if (last === undefined) return ids;
    afterId = last;
  }
}
