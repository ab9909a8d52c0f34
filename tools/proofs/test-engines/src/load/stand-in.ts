import type { DomainKind } from "@platform/torture/domain";

/** A store or provider that misbehaves as users of such systems report. */
export type StandIn = {
  /** Environment of a platform that uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** Load in addition to the usual one. */
  readonly domains?: readonly DomainKind[];
  /** Begins to misbehave. */
  misbehave(): Promise<void>;
  /** Ends misbehaviour that no client can get around; recovery is then measured from here. */
  recover?(): Promise<void>;
  /** Violations that the stand-in itself has seen. Called when the load is over and every request has a response. */
  findings?(acknowledged: Acknowledged): Promise<Findings>;
  close(): Promise<void>;
};

/** How a stand-in is named and started. */
export type StandInKind = {
  readonly name: string;
  /** @param reports receives failures of the stand-in's own domains */
  start(reports: LoadReports): Promise<StandIn>;
};

export type LoadReports = {
  /** A try that failed and is repeated. */
  onFailure(why: string): void;
};

/** Ids of the load that were acknowledged and stored. */
export type Acknowledged = {
  /** Domain Events by id: when each was stored, by this machine's clock. */
  readonly events: ReadonlyMap<string, Date>;
  /** Bytes of the files that each Project Client stored. */
  readonly storageBytes: ReadonlyMap<string, number>;
  /** Units in use of a quota without a window. */
  usedOf(clientId: string, resource: string): Promise<number>;
};

export type Findings = {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly remarks: readonly string[];
  /** Seconds until work in the background continued, if the stand-in observes that. */
  readonly recoverySeconds?: number;
};
