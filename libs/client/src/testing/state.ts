import type { QuotaResource } from "@platform/contracts/quotas";
import { scopes } from "@platform/contracts/scopes";
import type { FakePlatform, FakePlatformOptions, SeenRequest, SentNotification } from "./types.ts";

// biome-ignore lint/suspicious/noExplicitAny: records are what the contract's schemas let in and out
export type Data = Record<string, any>;

/** State of the fake platform. */
export type State = ReturnType<typeof newState>;

export const newId = (): string => crypto.randomUUID();

/** A random token of 64 hex characters. */
export const newToken = (): string => `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");

export const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

const limitByDefault = 1_000_000;

export function newState(options: FakePlatformOptions) {
  return {
    projectClient: {
      id: newId(),
      name: "Fake",
      environment: options.environment ?? "development",
      scopes: [...(options.scopes ?? scopes)],
    },
    credential: `pcred_${newToken().slice(0, 32)}_${newToken()}`,
    returnUris: options.returnUris ?? null,
    imagePresetId: newId(),
    /** Account id by session. */
    sessions: new Map<string, string>(),
    transactions: new Map<string, Data>(),
    /** Emailed token by transaction. */
    mailedTokens: new Map<string, string>(),
    /** File record by upload token, and by id. */
    uploads: new Map<string, Data>(),
    files: new Map<string, Data>(),
    publicAssets: new Map<string, Data>(),
    endpoints: new Map<string, Data>(),
    deliveries: new Map<string, Data>(),
    audits: [] as Data[],
    events: [] as FakePlatform["events"][number][],
    schedules: new Map<string, Data>(),
    /** Ads by decision token. */
    decisions: new Map<string, { format: string; isRecorded: boolean }>(),
    nextRejections: [] as string[],
    nextDeliveryErrors: [] as string[],
    nextFailures: [] as { operationId: string; code: string }[],
    /** Outcome by operation and key. */
    outcomes: new Map<string, { request: string; status: number; body: unknown }>(),
    limits: { ...options.limits } as Partial<Record<QuotaResource, number>>,
    used: new Map<QuotaResource, number>(),
    requests: [] as SeenRequest[],
    notifications: [] as SentNotification[],
  };
}

/** Spends units of a quota. Returns the details of the error if the quota is exhausted, otherwise null. */
export function spend({ limits, used }: State, resource: QuotaResource, units: number): Data | null {
  const before = used.get(resource) ?? 0;
  const limit = limits[resource] ?? (resource === "storage_bytes" ? limitByDefault * 1_000_000 : limitByDefault);
  if (before + units > limit) return { resource, used: before, limit: Math.max(1, limit), retry_after_seconds: 1 };
  used.set(resource, before + units);
  return null;
}
