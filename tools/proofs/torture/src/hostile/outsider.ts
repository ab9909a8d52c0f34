import { randomBytes, randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { type Actor, pause, repeat } from "./actor.ts";
import { ask } from "./ask-once.ts";
import type { StackAddresses } from "./setting.ts";

const halfOpenMax = 200;
const longestKey = 255;

/**
 * A caller without any credential. It floods everything that is open to the public, guesses tokens, and keeps idle
 * connections open.
 */
export function createOutsider(): Actor {
  let at: StackAddresses | undefined;
  return {
    name: "outsider",
    prepare: async (setting) => {
      at = setting;
    },
    attack: async (signal, count) => {
      if (at === undefined) throw new Error("prepare() comes first");
      const { gatewayUrl, consoleUrl } = at;
      const api = `${gatewayUrl}/api/v1`;
      const json = { "content-type": "application/json" };
      const hex = (): string => randomBytes(32).toString("hex");
      const guess = { ...json, authorization: () => `Bearer pcred_${randomBytes(16).toString("hex")}_${hex()}` };
      await Promise.all([
        repeat(signal, { loops: 4, pauseMs: 5 }, "console sign-in", count, (signal) =>
          ask(`${consoleUrl}/sign-in?to=/${"x".repeat(400)}`, { signal }),
        ),
        repeat(signal, { loops: 4, pauseMs: 5 }, "status page", count, (signal) =>
          ask(`${consoleUrl}/status`, { signal }),
        ),
        repeat(signal, { loops: 2, pauseMs: 10 }, "sign-in callback", count, (signal) =>
          ask(`${consoleUrl}/sign-in/callback?code=${hex()}&state=${hex()}`, { signal }),
        ),
        repeat(signal, { loops: 4, pauseMs: 5 }, "guessed credential", count, (signal) =>
          ask(`${api}/domain-events`, {
            signal,
            method: "POST",
            headers: { ...guess, authorization: guess.authorization(), "idempotency-key": randomUUID() },
            body: '{"type":"a.b","schema_version":1,"data":{}}',
          }),
        ),
        repeat(signal, { loops: 2, pauseMs: 10 }, "guessed upload token", count, (signal) =>
          ask(`${api}/file-uploads/${hex()}`, {
            signal,
            method: "PUT",
            headers: { "content-type": "application/octet-stream" },
            body: Buffer.alloc(64 * 1024),
          }),
        ),
        repeat(signal, { loops: 2, pauseMs: 10 }, "guessed verification link", count, (signal) =>
          ask(`${api}/identity-migration-transactions/${randomUUID()}/verify-email/${hex()}`, { signal }),
        ),
        repeat(signal, { loops: 2, pauseMs: 10 }, "forged impression", count, (signal) =>
          ask(`${api}/advertising/viewable-impressions`, {
            signal,
            method: "POST",
            headers: json,
            body: JSON.stringify({
              token: `${hex()}.${hex()}.${hex()}`,
              visible_ratio_basis_points: 6_000,
              duration_milliseconds: 1_500,
            }),
          }),
        ),
        repeat(signal, { loops: 2, pauseMs: 20 }, "noop of 900 KB", count, (signal) =>
          ask(`${api}/noop`, {
            signal,
            method: "POST",
            headers: { ...json, "idempotency-key": randomUUID() },
            body: JSON.stringify({ money: { currency: "JPY", minor: 1 }, filler: "x".repeat(900_000) }),
          }),
        ),
        repeat(signal, { loops: 32, pauseMs: 0 }, "small noop", count, (signal) =>
          ask(`${api}/noop`, {
            signal,
            method: "POST",
            headers: { ...json, "idempotency-key": `${randomUUID()}${"k".repeat(longestKey - 36)}` },
            body: '{"money":{"currency":"JPY","minor":1}}',
          }),
        ),
        repeat(signal, { loops: 2, pauseMs: 10 }, "forged continuation", count, (signal) =>
          ask(`${api}/identity-migration/continue`, {
            signal,
            method: "POST",
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: `continuation_id=${randomUUID()}&continuation_token=${hex()}`,
          }),
        ),
        holdHalfOpen(signal, new URL(gatewayUrl), (outcome) => count("half-open connection", outcome)),
      ]);
    },
    close: async () => {},
  };
}

/** Keeps connections open on which a request never ends, and replaces those that the gateway closes. */
async function holdHalfOpen(signal: AbortSignal, { hostname, port }: URL, count: (outcome: string) => void) {
  const open = new Set<Socket>();
  while (!signal.aborted) {
    while (open.size < halfOpenMax) {
      const socket = connect(Number(port), hostname, () =>
        socket.write("POST /api/v1/noop HTTP/1.1\r\nHost: platform\r\n"),
      );
      open.add(socket);
      socket.resume();
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        if (!signal.aborted) count("closed");
      });
    }
    await pause(500, signal);
  }
  for (const socket of open) socket.destroy();
}
