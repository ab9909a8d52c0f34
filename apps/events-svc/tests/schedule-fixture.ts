import { timestampDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { startTestIdentity } from "@platform/test-kit/identity";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { readServerConfig } from "../src/config.ts";
import { createEventsWorker } from "../src/create-events-worker.ts";
import type { CallLimits } from "../src/worker/runs/claim-runs.ts";
import { callFor, operatorCall, startTestServer, testEnv } from "./fixture.ts";
import { startTarget } from "./target.ts";

export type Run = {
  readonly id: string;
  readonly scheduledFor: string;
  readonly status: string;
  readonly attempts: readonly {
    at: string;
    statusCode: number | null;
    error: string | null;
    response: string | null;
  }[];
  readonly error: string | null;
};

/** Starts a server and a worker of events-svc, with their dependencies and a clock that the test sets. */
export async function startScheduleBed(
  extra: Record<string, string> = {},
  { hasWorker = true, limits }: { readonly hasWorker?: boolean; readonly limits?: CallLimits } = {},
) {
  const mongo = await startTestMongo();
  const redis = await startTestRedis();
  const identity = await startTestIdentity(mongo, redis.url);
  const target = await startTarget();
  let now = new Date();
  const clock = (): Date => new Date(now);
  const env = testEnv(mongo, { REDIS_URL: redis.url, IDENTITY_GRPC: identity.address, ...extra });
  const server = await startTestServer(mongo, env, { clock });
  const config = readServerConfig(env);
  const worker = hasWorker
    ? await createEventsWorker(config, { logger: silentLogger(), clock, ...defined({ limits }) })
    : null;

  const runsOf = async (operationId: string): Promise<Run[]> => {
    const { runs } = await server.scheduleAdmin.listScheduledRuns({ operationId, limit: 1_000 }, operatorCall());
    return runs.map((run) => ({
      id: run.id,
      scheduledFor: run.scheduledFor === undefined ? "" : timestampDate(run.scheduledFor).toISOString(),
      status: run.status,
      attempts: run.attempts.map(({ at, statusCode, error, response }) => ({
        at: at === undefined ? "" : timestampDate(at).toISOString(),
        statusCode: statusCode ?? null,
        error: error ?? null,
        response: response ?? null,
      })),
      error: run.error ?? null,
    }));
  };
  return {
    mongo,
    redis,
    identity,
    target,
    server,
    env,
    now: () => now,
    /** Sets the clock of the server and the worker. */
    setClock: (time: Date | string) => {
      now = new Date(time);
    },
    advance: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1_000);
    },
    register: async (
      clientId: string,
      fields: { url?: string; secret?: string; maxAttempts?: number; environment?: string; name?: string } = {},
    ): Promise<string> => {
      const { environment, ...given } = fields;
      const { id } = await server.schedules.registerScheduledOperation(
        { name: "nightly.report", url: `${target.url}/${clientId}`, secret: "s".repeat(32), maxAttempts: 5, ...given },
        callFor(clientId, defined({ environment })),
      );
      return id;
    },
    setCron: (operationId: string, cron: string, timezone = "UTC") =>
      server.scheduleAdmin.setScheduledOperationCron({ operationId, cron, timezone }, operatorCall()),
    invoke: async (operationId: string): Promise<string> =>
      (await server.scheduleAdmin.invokeScheduledOperation({ operationId }, operatorCall())).invocationId,
    redrive: (invocationId: string) => server.scheduleAdmin.redriveScheduledRun({ invocationId }, operatorCall()),
    runsOf,
    /** Waits until the latest run of an operation meets a condition. */
    runWhen: (operationId: string, isSo: (run: Run) => boolean): Promise<Run> =>
      eventually(async () => (await runsOf(operationId)).find(isSo)),
    close: async () => {
      await worker?.close();
      await server.close();
      target.close();
      await identity.close();
      await redis.close();
      await mongo.close();
    },
  };
}

export type ScheduleBed = Awaited<ReturnType<typeof startScheduleBed>>;
