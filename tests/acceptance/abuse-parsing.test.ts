import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { malformedRequests, oddRequests, smuggledNoop } from "./abuse/malformed-requests.ts";
import { exchangeRaw, jsonOf } from "./abuse/raw-connection.ts";
import { acceptanceStack, api } from "./stack.ts";
import { newProject } from "./walk/project.ts";
import { workingRequests } from "./walk/working-requests.ts";

const { baseUrl } = acceptanceStack;

/**
 * Returns whether a noop with this key was executed. It sends a different payload under the key, which is rejected only
 * if the key was used.
 */
async function wasExecuted(key: string): Promise<boolean> {
  const body = { money: { currency: "USD", minor: 2 } };
  const { status } = await api("POST", "/noop", { credential: null, idempotencyKey: key, body });
  return status === 409;
}

describe("the check itself", () => {
  test("serves a second valid request on the connection", async () => {
    const key = randomUUID();
    const first = "GET /api/v1/health HTTP/1.1\r\nHost: gateway\r\n\r\n";
    const { answers } = await exchangeRaw(baseUrl, first + smuggledNoop(key));
    expect(answers[0]?.status).toBe(200);
    expect(await wasExecuted(key)).toBe(true);
  });
});

describe("a request that two parsers may read differently", () => {
  test.each(Object.keys(malformedRequests("")))("%s: rejects it once, and executes nothing after it", async (name) => {
    const key = randomUUID();
    const { answers, text } = await exchangeRaw(baseUrl, malformedRequests(smuggledNoop(key))[name] ?? "");
    expect(answers.length, text).toBeLessThanOrEqual(1);
    // If there is no response, the server has closed the connection without sending anything.
    if (answers.length === 0) expect(text).toBe("");
    for (const { status, head, body } of answers) {
      expect([413, 422], text).toContain(status);
      expect(jsonOf(body)?.error).toMatchObject({ retryable: false, details: expect.any(Object) });
      expect(head.toLowerCase()).toContain(`x-correlation-id: ${jsonOf(body).error.correlation_id}`);
      expect(head.toLowerCase()).toContain("connection: close");
      expect(head.toLowerCase()).not.toContain("x-powered-by");
    }
    expect(await wasExecuted(key)).toBe(false);
  });
});

describe("an unusual but valid request", () => {
  test.each(Object.entries(oddRequests()))("%s: responds exactly once", async (_name, { bytes, statuses }) => {
    const { answers, text } = await exchangeRaw(baseUrl, bytes);
    expect(answers, text).toHaveLength(1);
    expect(statuses, text).toContain(answers[0]?.status);
    expect(text).not.toMatch(/HTTP\/1\.1 101/);
    const json = jsonOf(answers[0]?.body ?? "");
    if ((answers[0]?.status ?? 0) >= 400) expect(json?.error?.correlation_id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a Host header that names another host", () => {
  test("ignores a foreign Host header in links", async () => {
    const project = await newProject();
    const { params } = await workingRequests["files.createDownloadGrant"](project);
    const { answers, text } = await exchangeRaw(
      baseUrl,
      [
        `POST /api/v1/file-objects/${params?.fileObjectId}/download-grants HTTP/1.1`,
        "Host: evil.example",
        ...["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: ftp", "Forwarded: host=evil.example"],
        `Authorization: Bearer ${project.client.credential}`,
        `Idempotency-Key: ${randomUUID()}`,
        "Content-Length: 0\r\n\r\n",
      ].join("\r\n"),
    );
    expect(answers[0]?.status, text).toBe(200);
    expect(new URL(jsonOf(answers[0]?.body ?? "").data.download_url).origin).toBe(new URL(baseUrl).origin);
    expect(text).not.toContain("evil.example");
  });
});
