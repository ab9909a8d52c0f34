import type { PlatformFact } from "../mongo/outbox.ts";

export type { PlatformFact } from "../mongo/outbox.ts";

/** What has come to be of a resource. */
export type Fact = {
  /** In the singular: `file_object`. */
  readonly resource: string;
  readonly id: string;
  readonly state: string;
  /** Told beside id and state. */
  readonly data?: Readonly<Record<string, string | number | boolean | null>>;
  /** Tells apart a state that a resource comes to again; absent or 1 the first time. */
  readonly time?: number;
};

/** Makes facts of the Project Clients that are told of them; of others, and before it follows a set of clients, null. */
export type PlatformFacts = {
  of(clientId: string, fact: Fact, at: Date): PlatformFact | null;
  /** From now on the clients of this set are told. */
  follow(clients: { has(clientId: string): boolean; ids(): string[] }): void;
  /** The clients that are told. */
  clientIds(): string[];
};

export function createPlatformFacts(): PlatformFacts {
  let told: Parameters<PlatformFacts["follow"]>[0] = { has: () => false, ids: () => [] };
  return {
    of: (clientId, fact, at) => (told.has(clientId) ? platformFact(fact, at) : null),
    follow: (clients) => {
      told = clients;
    },
    clientIds: () => told.ids(),
  };
}

/** The fact itself, for whoever knows that the client is told. */
export function platformFact({ resource, id, state, data, time = 1 }: Fact, at: Date): PlatformFact {
  return {
    key: `${resource}:${id}:${state}${time > 1 ? `:${time}` : ""}`,
    type: `platform.${resource}.${state}`,
    data_json: JSON.stringify({ [`${resource}_id`]: id, status: state, ...data }),
    occurred_at: at,
  };
}
