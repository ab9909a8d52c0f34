import type { PlatformFact } from "@platform/kit/store/documents";

export type { PlatformFact } from "@platform/kit/store/documents";

/**
 * Id of the log with the platform's messages to its operators, in place of a Project Client's id. No client has the nil
 * UUID.
 */
export const platformLogId = "00000000-0000-0000-0000-000000000000";

/** A new state of a resource. */
export type Fact = {
  /** The resource in the singular, such as `file_object`. */
  readonly resource: string;
  readonly id: string;
  readonly state: string;
  /** Additional fields besides id and state. */
  readonly data?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
  /** Distinguishes repeated occurrences of a state; absent or 1 the first time. */
  readonly time?: number;
};

/**
 * Creates platform events for Project Clients that have turned them on. Returns null for other clients, and until the
 * set of clients is known.
 */
export type PlatformFacts = {
  of(clientId: string, fact: Fact, at: Date): PlatformFact | null;
  /** Creates a fact about which the client's contacts are notified, whether its platform events are on or off. */
  notice(clientId: string, fact: Fact, at: Date): PlatformFact;
  /** Sets the source of the set of clients with platform events. */
  follow(clients: { has(clientId: string): boolean; ids(): string[] }): void;
  /** Returns the clients with platform events. */
  clientIds(): string[];
};

export function createPlatformFacts(): PlatformFacts {
  let told: Parameters<PlatformFacts["follow"]>[0] = { has: () => false, ids: () => [] };
  return {
    of: (clientId, fact, at) => (told.has(clientId) ? platformFact(fact, at) : null),
    notice: (clientId, fact, at) => noticeFact(fact, at, told.has(clientId)),
    follow: (clients) => {
      told = clients;
    },
    clientIds: () => told.ids(),
  };
}

/** Creates the event itself, for callers that know that the client has turned platform events on. */
export function platformFact({ resource, id, state, data, time = 1 }: Fact, at: Date): PlatformFact {
  return {
    key: `${resource}:${id}:${state}${time > 1 ? `:${time}` : ""}`,
    type: `platform.${resource}.${state}`,
    data_json: JSON.stringify({ [`${resource}_id`]: id, status: state, ...data }),
    occurred_at: at,
  };
}

/**
 * Creates the event of a fact about which contacts are notified. @param isLogged whether its client has turned platform
 * events on
 */
export const noticeFact = (fact: Fact, at: Date, isLogged: boolean): PlatformFact => ({
  ...platformFact(fact, at),
  audience: isLogged ? "log_and_contacts" : "contacts",
});
