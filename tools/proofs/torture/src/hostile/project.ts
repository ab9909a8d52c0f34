import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { type Actor, pause, repeat } from "./actor.ts";
import { ask } from "./ask-once.ts";
import type { StackAddresses } from "./setting.ts";

/** The platform waits up to 15 s for the response to a call. */
const slowAnswerMs = 14_000;

/**
 * A project backend with a valid credential. It spends its quotas on the largest bodies, and responds to the platform's
 * calls as late as possible.
 */
export function createProject(): Actor {
  let setting: StackAddresses | undefined;
  let slowTarget: Server | undefined;
  return {
    name: "project",
    prepare: async (at) => {
      setting = at;
      const server = createServer((request, response) => {
        request.resume();
        setTimeout(() => response.writeHead(503).end(), slowAnswerMs).unref();
      });
      slowTarget = server;
      await new Promise<void>((resolve) => server.listen(at.slowTargetPort, "127.0.0.1", resolve));
    },
    attack: async (signal, count) => {
      if (setting === undefined) throw new Error("prepare() comes first");
      const { gatewayUrl, credential } = setting;
      const post = (path: string, body: string, signal: AbortSignal) =>
        ask(`${gatewayUrl}/api/v1${path}`, {
          signal,
          method: "POST",
          headers: {
            authorization: `Bearer ${credential}`,
            "content-type": "application/json",
            "idempotency-key": randomUUID(),
          },
          body,
        });
      const largeEvent = JSON.stringify({
        type: "hostile.large",
        schema_version: 1,
        data: { filler: "x".repeat(1_000_000) },
      });
      const keys = Array.from({ length: 45_000 }, (_, index) => [`k${(index * 7_919) % 45_000}`, index] as const);
      const manyKeys = JSON.stringify({ type: "hostile.keys", schema_version: 1, data: Object.fromEntries(keys) });
      // Numbers whose digits the platform must keep take several times as long to process as others.
      const digits = (count: number): string =>
        `{"type":"hostile.digits","schema_version":1,"data":{"n":[${Array.from({ length: count }, () => "1e2").join(",")}]}}`;
      const [manyDigits, fewDigits] = [digits(45_000), digits(15_500)];
      const catalog = JSON.stringify({ entries: Array.from({ length: 500 }, (_, index) => catalogEntry(index)) });
      await Promise.all([
        repeat(signal, { loops: 2, pauseMs: 100 }, "event of 1 MB", count, (signal) =>
          post("/domain-events", largeEvent, signal),
        ),
        repeat(signal, { loops: 4, pauseMs: 20 }, "event of 45,000 keys", count, (signal) =>
          post("/domain-events", manyKeys, signal),
        ),
        repeat(signal, { loops: 2, pauseMs: 20 }, "event of 45,000 numbers", count, (signal) =>
          post("/domain-events", manyDigits, signal),
        ),
        repeat(signal, { loops: 4, pauseMs: 20 }, "event of 15,500 numbers", count, (signal) =>
          post("/domain-events", fewDigits, signal),
        ),
        repeat(signal, { loops: 2, pauseMs: 20 }, "catalog of 500 entries", count, (signal) =>
          post("/notification-catalog/validate", catalog, signal),
        ),
        repeat(signal, { loops: 32, pauseMs: 5 }, "small event", count, (signal) =>
          post("/domain-events", '{"type":"hostile.small","schema_version":1,"data":{}}', signal),
        ),
        repeat(signal, { loops: 2, pauseMs: 50 }, "abandoned upload", count, async (signal) => {
          const abandoned = AbortSignal.any([signal, AbortSignal.timeout(200)]);
          const grant = {
            expected_sha256: "0".repeat(64),
            expected_content_type: "text/plain",
            maximum_bytes: 1_000_000,
          };
          await post("/file-objects/upload-grants", JSON.stringify(grant), abandoned);
          return "granted";
        }),
        pause(2 ** 30, signal),
      ]);
    },
    close: async () => {
      slowTarget?.closeAllConnections();
      slowTarget?.close();
    },
  };
}

/** One of 500 entries that fill a catalog's 4 MiB with names of the maximum length. */
function catalogEntry(index: number) {
  const variables = Array.from({ length: 50 }, (_, at) => [`variable_${at}_${"v".repeat(120)}`, "string"] as const);
  return {
    event_key: `hostile.event_${index}`,
    template_key: `template_${index}`,
    channel: "email",
    purpose: "hostile.purpose",
    locale: "en",
    sender_profile: "profile",
    variables: Object.fromEntries(variables),
  };
}
