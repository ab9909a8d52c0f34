import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { api } from "./stack.ts";

const body = { money: { currency: "JPY", minor: 1200 }, anything: { else: [1, 2] } };

describe("POST /noop", () => {
  test("succeeds without side effect or credential, and names release, key and correlation id", async () => {
    const correlationId = randomUUID();
    const key = randomUUID();
    const reply = await api("POST", "/noop", {
      body,
      credential: null,
      idempotencyKey: key,
      headers: { "x-correlation-id": correlationId },
    });
    expect(reply.status).toBe(202);
    expect(reply.json).toEqual({
      data: { money: body.money, status: "queued" },
      meta: { release: "0.1.0", idempotency_key: key, correlation_id: correlationId, replayed: false },
    });
    expect(reply.headers.get("x-correlation-id")).toBe(correlationId);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  test("replays the first result under its own correlation id", async () => {
    const key = randomUUID();
    await api("POST", "/noop", { body, credential: null, idempotencyKey: key });
    const again = await api("POST", "/noop", { body, credential: null, idempotencyKey: key });
    expect(again.status).toBe(202);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.json.meta.replayed).toBe(true);
    expect(again.json.meta.correlation_id).toBe(again.headers.get("x-correlation-id"));
  });

  test("rejects the key with another payload with 409, even if only an unnamed property differs", async () => {
    const key = randomUUID();
    await api("POST", "/noop", { body, credential: null, idempotencyKey: key });
    const other = await api("POST", "/noop", { body: { ...body, anything: 0 }, credential: null, idempotencyKey: key });
    expect(other.status).toBe(409);
    expect(other.json.error).toMatchObject({ code: "idempotency_key_reused", retryable: false, details: {} });
  });

  test("accepts a repeat with another order of properties", async () => {
    const key = randomUUID();
    await api("POST", "/noop", {
      body: '{"money":{"minor":1,"currency":"EUR"},"a":1}',
      credential: null,
      idempotencyKey: key,
    });
    const again = await api("POST", "/noop", {
      body: '{"a":1,"money":{"currency":"EUR","minor":1}}',
      credential: null,
      idempotencyKey: key,
    });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  test("accepts a key of 255 characters, and refuses one of 256 at the header", async () => {
    expect(
      (await api("POST", "/noop", { body, credential: null, idempotencyKey: randomUUID().padEnd(255, "x") })).status,
    ).toBe(202);
    const refused = await api("POST", "/noop", { body, credential: null, idempotencyKey: "x".repeat(256) });
    expect(refused.status).toBe(422);
    expect(refused.json.error.details.violations).toEqual([
      expect.objectContaining({ path: "header:Idempotency-Key", code: "too_long" }),
    ]);
  });
});
