import type { Platform } from "../platform.ts";
import type { Bench, Contender } from "../row.ts";

/** The event every row publishes. */
export const eventBody = JSON.stringify({
  type: "order.placed",
  schema_version: 1,
  data: { order: 1, lines: [{ sku: "A-1", quantity: 2 }] },
});

export const noopBody = JSON.stringify({ money: { currency: "JPY", minor: 1200 }, order: { lines: [1, 2, 3] } });

/** Headers a Project Backend sends. */
export function authorized({ credential }: Platform): Record<string, string> {
  return { authorization: `Bearer ${credential}` };
}

/** A contender that is asked over HTTP by the generator. */
export function httpContender(
  bench: Bench,
  what: Pick<Contender, "name" | "role"> & {
    readonly port: number;
    readonly connections: number;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Sent by POST; without it the request is a GET. */
    readonly body?: string;
    readonly idempotencyKey?: "fresh" | { readonly fixed: string };
  },
): Contender {
  const { name, role, port, connections, path = "/", headers = {}, body = null, idempotencyKey = "none" } = what;
  const method = body === null ? "GET" : "POST";
  return {
    name,
    role,
    run: (durationMs) =>
      bench.generator.run("http", { port, method, path, headers, body, idempotencyKey, connections, durationMs }),
  };
}
