import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { connectGrpc, steadyNowMs, type TlsSetting } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import type { ServiceName } from "@platform/kit/rpc/server";
import { ErasureService } from "@platform/proto/identity/v1/erasure";

/** What an erasure removes: a Project Client or a person. */
export type Erasure =
  | { readonly kind: "client"; readonly id: string; readonly clientId: string }
  | {
      readonly kind: "person";
      readonly id: string;
      readonly accountId: string | null;
      /** The person's normalized email addresses. */
      readonly emails: readonly string[];
      readonly legacySubjects: readonly { readonly clientId: string; readonly subject: string }[];
    };

/**
 * Returns one word that says why a service's part of an erasure failed. Error messages are not used, because they may
 * contain data of the person who is being erased.
 */
export function reasonOf(error: unknown): string {
  if (isServiceError(error)) return error.code;
  return error instanceof Error ? error.name : "unknown";
}

const everyMs = 2_000;
const callMs = 10_000;

/**
 * Executes a service's part of every erasure: reads the open erasures from identity-svc, erases the data, and reports
 * the result. An interrupted part is repeated. A failed part is also reported, does not delay the others, and is
 * retried when identity-svc lists it again.
 * @param erase erases a limited number of records and is safe to repeat; resolves to the number of erased records once
 * none is left
 */
export function followErasures(options: {
  readonly identity: { readonly address: string; readonly tls: TlsSetting };
  readonly service: Exclude<ServiceName, "identity">;
  readonly erase: (erasure: Erasure, signal: AbortSignal) => Promise<number>;
  readonly logger: Logger;
}): RepeatedJob {
  const { service, logger } = options;
  const connection = connectGrpc(options.identity);
  const client = connection.service(ErasureService);
  const call = () => ({
    context: { correlationId: newId(), operation: "erasures", projectClient: null, idempotency: null },
    deadlineMs: steadyNowMs() + callMs,
  });
  const job = repeat("erase", everyMs, logger, async (signal) => {
    // If identity-svc is unavailable, nothing can be done, and identity-svc logs its own outage.
    const open = await client.listOpenErasures({ service }, call()).catch(() => null);
    for (const { id, projectClientId: clientId, ...person } of open?.erasures ?? []) {
      if (signal.aborted) return;
      const erasure: Erasure =
        clientId !== ""
          ? { kind: "client", id, clientId }
          : {
              kind: "person",
              id,
              accountId: person.accountId === "" ? null : person.accountId,
              emails: person.emails,
              legacySubjects: person.legacySubjects.map(({ projectClientId, subject }) => ({
                clientId: projectClientId,
                subject,
              })),
            };
      let erased: number;
      try {
        erased = await options.erase(erasure, signal);
      } catch (error) {
        logger.error({ job: "erase", resource_id: id, err: error }, "a part of an erasure failed");
        await client.reportErasureFailure({ erasureId: id, service, reason: reasonOf(error) }, call());
        continue;
      }
      if (signal.aborted) return;
      await client.reportErasure({ erasureId: id, service, erased }, call());
      logger.info({ job: "erase", resource_id: id, count: erased }, "erased");
    }
  });
  return {
    name: job.name,
    stop: async () => {
      await job.stop();
      connection.close();
    },
  };
}
