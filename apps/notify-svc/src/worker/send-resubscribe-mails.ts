import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { DeliveryEndpoint, Resubscription } from "../domain/endpoint.ts";
import { putMailBack, settleMail, takeMail } from "../domain/resubscription.ts";
import { resubscribeMail } from "./resubscribe-mail.ts";
import type { WorkerDeps } from "./worker-deps.ts";

const atOnce = 50;
const byPlatform = { by: "platform", correlationId: null } as const;

/**
 * Emails the links with which people restore consent. If a worker dies, another one sends the email again with the
 * same Message-ID.
 */
export function startResubscribeMails(deps: WorkerDeps, everyMs: number): RepeatedJob {
  const { stores, clock, logger } = deps;
  const sweep = deps.createSweep("send-resubscribe-mails");
  return repeat("send-resubscribe-mails", everyMs, logger, async (signal) => {
    const run = await sweep.begin(signal);
    const due = await stores.endpoints.findResubscribeMailsDue(clock(), atOnce, run.waiting());
    for (const { id, projectClientId } of due) {
      if (!run.goesOn()) return;
      await run.attempt(id, () => sendOne(deps, projectClientId, id, signal));
    }
    if (due.length < atOnce) await run.end();
  });
}

async function sendOne(deps: WorkerDeps, projectClientId: string, id: string, signal: AbortSignal): Promise<void> {
  const taken = await take(deps, projectClientId, id);
  if (taken === null) return;
  const { endpoint, asked } = taken;
  const isOver = mayNotSend(deps, endpoint, asked) ? null : await send(deps, endpoint, asked, signal);
  const now = deps.clock();
  await deps.stores.endpoints.change(
    projectClientId,
    id,
    (current) =>
      isOver === null
        ? putMailBack(current, asked.generation, now)
        : settleMail(current, asked.generation, isOver, now),
    byPlatform,
    now,
  );
}

/**
 * Claims the email of an endpoint. Returns null if another worker has claimed it, or if there is no email to send any
 * more.
 */
async function take(
  { stores, clock }: WorkerDeps,
  clientId: string,
  id: string,
): Promise<{ endpoint: DeliveryEndpoint; asked: Resubscription } | null> {
  const now = clock();
  let isMine = false;
  const changed = await stores.endpoints.change(
    clientId,
    id,
    (current) => {
      const taken = takeMail(current, now);
      isMine = taken.next !== null && taken.next.resubscription?.mailDueAt !== null;
      return taken;
    },
    byPlatform,
    now,
  );
  const asked = changed?.endpoint.resubscription ?? null;
  return isMine && changed !== null && asked !== null ? { endpoint: changed.endpoint, asked } : null;
}

function mayNotSend(deps: WorkerDeps, endpoint: DeliveryEndpoint, asked: Resubscription): boolean {
  return deps.disabledClients.has(endpoint.projectClientId) || deps.profiles.isDisabled(asked.senderProfileId);
}

/** @returns whether nothing is left to do, because the email was sent or never will be */
async function send(
  deps: WorkerDeps,
  endpoint: DeliveryEndpoint,
  asked: Resubscription,
  signal: AbortSignal,
): Promise<boolean> {
  const profile = await deps.profiles.open(endpoint.projectClientId, asked.senderProfileId);
  const token = deps.tokens.resubscribe(endpoint.id, asked.generation, asked.tokenHash);
  if (profile === null || token === null) return true;
  const { key, config } = profile.current;
  const request = {
    deliveryId: `${endpoint.id}.${asked.generation}`,
    projectClientId: endpoint.projectClientId,
    endpointId: endpoint.id,
    attempt: asked.mailTries,
    address: endpoint.address,
    environment: endpoint.environment,
    message: {
      kind: "notification",
      content: resubscribeMail(asked, `${deps.publicBaseUrl}/api/v1/unsubscribe/confirm/${token}`),
      unsubscribeUrl: null,
    },
    acceptedAt: asked.requestedAt,
    ttlSeconds: 3_600,
    mayBegin: () => true,
  } as const;
  const outcome = await deps.senders.send(
    key,
    config,
    request,
    AbortSignal.any([signal, AbortSignal.timeout(deps.answerMs)]),
  );
  return outcome.kind !== "retry";
}
