import type { PlatformFact } from "@platform/kit/store/documents";

export type { PlatformFact } from "@platform/kit/store/documents";

/** Id of the log with the platform's messages to its operators, used instead of a Project Client's id. No client has the nil UUID. */
export const platformLogId = "00000000-0000-0000-0000-000000000000";

/** A new state of a resource. */
export type Fact = {
  /** The resource in the singular, such as `file_object`. */
  readonly resource: string;
  readonly id: string;
  readonly state: string;
  /** Further fields in addition to id and state. */
  readonly data?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
  /** Distinguishes repeated states of a resource; absent or 1 the first time. */
  readonly time?: number;
};

/**
 * Creates platform events for Project Clients that have turned them on; null for others, and until the set of clients
 * is known.
 */
export type PlatformFacts = {
  of(clientId: string, fact: Fact, at: Date): PlatformFact | null;
  /** A fact that the client's contacts are notified of, regardless of whether its platform events are on. */
  notice(clientId: string, fact: Fact, at: Date): PlatformFact;
  /** Uses this set of clients with platform events. */
  follow(clients: { has(clientId: string): boolean; ids(): string[] }): void;
  /** The clients with platform events. */
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

/** The event itself, for callers that know that the client has turned platform events on. */
export function platformFact({ resource, id, state, data, time = 1 }: Fact, at: Date): PlatformFact {
  return {
    key: `${resource}:${id}:${state}${time > 1 ? `:${time}` : ""}`,
    type: `platform.${resource}.${state}`,
    data_json: JSON.stringify({ [`${resource}_id`]: id, status: state, ...data }),
    occurred_at: at,
  };
}

/**
 * The event of a fact that contacts are notified of. @param isLogged whether its client has turned platform events on
 */
export const noticeFact = (fact: Fact, at: Date, isLogged: boolean): PlatformFact => ({
  ...platformFact(fact, at),
  audience: isLogged ? "log_and_contacts" : "contacts",
});
