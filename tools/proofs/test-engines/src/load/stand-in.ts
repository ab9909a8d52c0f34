import type { DomainKind } from "@platform/torture/domain";

/** A replacement for a store or provider. It misbehaves in a way that users of such systems have reported. */
export type StandIn = {
  /** Environment of a platform that uses the stand-in. */
  readonly env: Readonly<Record<string, string>>;
  /** Load in addition to the usual one. */
  readonly domains?: readonly DomainKind[];
  /** Starts the misbehaviour. */
  misbehave(): Promise<void>;
  /** Ends a misbehaviour that no client can work around; recovery is then measured from this time. */
  recover?(): Promise<void>;
  /**
   * Returns violations that the stand-in itself has observed. Called when the load has ended and every request has a
   * response.
   */
  findings?(acknowledged: Acknowledged): Promise<Findings>;
  close(): Promise<void>;
};

/** Name of a stand-in and the function that starts it. */
export type StandInKind = {
  readonly name: string;
  /** @param reports receives failures of the domains that the stand-in adds */
  start(reports: LoadReports): Promise<StandIn>;
};

export type LoadReports = {
  /** Reports a failed attempt that is repeated. */
  onFailure(why: string): void;
};

/** Ids of the load that were acknowledged and stored. */
export type Acknowledged = {
  /** Domain Events by id, with the time at which each was stored by this machine's clock. */
  readonly events: ReadonlyMap<string, Date>;
  /** Bytes of the files that each Project Client has stored. */
  readonly storageBytes: ReadonlyMap<string, number>;
  /** Returns the units in use of a gauge quota. */
  usedOf(clientId: string, resource: string): Promise<number>;
};

export type Findings = {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly remarks: readonly string[];
  /** Seconds until background work continued, if the stand-in observes it. */
  readonly recoverySeconds?: number;
};
