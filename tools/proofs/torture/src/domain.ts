import type { Db } from "mongodb";
import type { Ask } from "./ask.ts";
import type { Entries } from "./entry.ts";
import type { OverloadResult } from "./overload.ts";
import type { LoadClient, LoadedPlatform } from "./platform.ts";

/** What the load of every domain uses. */
export type World = {
  readonly platform: LoadedPlatform;
  readonly clients: readonly LoadClient[];
  readonly ask: Ask;
  /** Returns the clients round robin. */
  nextClient(): LoadClient;
};

/** Returns the database of a service by the service's name. */
export type Stores = (service: string) => Db;

/** A part of the platform under load. */
export type Domain = {
  /** Requests one thing and repeats the request until its response is final. */
  load(): Promise<void>;
  /**
   * Compares every acknowledged id with the stores and with the arrivals outside, after the load and the faults have
   * ended.
   */
  reconcile(stores: Stores, overloads: readonly OverloadResult[]): Promise<Verdict>;
  close?(): void;
};

/** How the load of a domain is created, and its default rate. */
export type DomainKind = {
  readonly name: string;
  readonly perSecond: number;
  create(world: World): Promise<Domain>;
};

/** Result of the reconciliation of one domain. */
export type Verdict = {
  readonly kind: string;
  readonly asked: number;
  readonly acknowledged: number;
  readonly retried: number;
  /** Ids that the platform acknowledged but that are not stored. */
  readonly lost: readonly string[];
  /** Idempotency keys that created more than one object. */
  readonly doubled: readonly string[];
  /** Number of permanently refused requests. There should be none, because every request of this load is valid. */
  readonly refused: readonly string[];
  /** Further figures for the report. A text that begins with four capital letters reports an error. */
  readonly remarks: readonly string[];
};

/** Evaluates the entries of a domain after `storedId` and `isDoubled` have been filled in from the stores. */
export function verdictOn(kind: string, entries: Entries, remarks: readonly string[]): Verdict {
  const found = {
    acknowledged: 0,
    retried: 0,
    lost: [] as string[],
    doubled: [] as string[],
    refused: [] as string[],
  };
  for (const { key, id, otherId, storedId, isDoubled, retries, refusal } of entries.values()) {
    if (id !== null) found.acknowledged += 1;
    if (retries > 0) found.retried += 1;
    if (id !== null && storedId !== id) found.lost.push(id);
    if (isDoubled || otherId !== null) found.doubled.push(key);
    if (refusal !== null) found.refused.push(`${key} ${refusal}`);
  }
  return { kind, asked: entries.size, ...found, remarks };
}
