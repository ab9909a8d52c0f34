import type { IncomingMessage } from "node:http";
import { defined } from "@platform/kit/process/fields";
import { describe, expect, test } from "vitest";
import { correlationIdOf, newCorrelationId } from "./request-head.ts";

const withCorrelationId = (header?: string) =>
  ({ headers: defined({ "x-correlation-id": header }) }) as unknown as IncomingMessage;

describe("the correlation id", () => {
  test("creates a UUIDv7 of the current millisecond if no correlation id is sent", () => {
    const id = newCorrelationId(Date.parse("2026-11-21T01:00:00.123Z"));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(Date.parse("2026-11-21T01:00:00.123Z"));
    expect(newCorrelationId(0)).not.toBe(newCorrelationId(0));
  });

  test("accepts a correlation id and converts it to lower case, and replaces and marks a malformed one", () => {
    const sent = "8EE7FEB6-2074-4D21-BE29-7140DF64AC53";
    expect(correlationIdOf(withCorrelationId(sent))).toEqual({ correlationId: sent.toLowerCase(), isMalformed: false });
    expect(correlationIdOf(withCorrelationId("x"))).toEqual({
      correlationId: expect.stringMatching(/-7/),
      isMalformed: true,
    });
  });
});
