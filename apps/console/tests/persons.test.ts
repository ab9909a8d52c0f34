import { createMetrics, silentLogger } from "@platform/kit/process/telemetry";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type GrpcServer, implement, serveGrpc } from "@platform/kit/rpc/server";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { formBytesMax, largeFormBytesMax } from "../src/http/forms.ts";
import { requestsPerPersonMax, tailsPerPersonMax, waitingPerPersonMax } from "../src/http/person-limits.ts";
import { csrfOf, startTestConsole, type TestConsole, type Visitor } from "./console-fixture.ts";

const dataJson = `{"total":1e400,"text":"${"x".repeat(64 * 1024)}"}`;
let tested: TestConsole;
let events: GrpcServer;
let operator: Visitor;
let viewer: Visitor;
/** Number of events that the endless log has sent, and its number of readers. */
let sent = 0;
let readers = 0;
let mode: "endless" | "idle" | "expired" = "endless";

/** Responds to a call only when its caller disconnects. */
const silent = (_request: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("the caller went away"))));

beforeAll(async () => {
  events = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    services: [
      implement(
        DomainEventConsumerService,
        {
          readEvents: async function* (_request, { signal }) {
            readers += 1;
            try {
              for (let position = 1n; !signal.aborted; position += 1n) {
                sent += 1;
                yield { position, event: { id: `${position}`, type: "order.created", dataJson } };
                if (mode === "expired")
                  throw new ServiceError("unauthenticated", "The operator assertion has expired.");
                if (mode === "idle") await new Promise((resolve) => signal.addEventListener("abort", resolve));
              }
            } finally {
              readers -= 1;
            }
          },
        },
        () => undefined,
      ),
      implement(
        ConsumerAdminService,
        { listConsumers: silent, issueConsumer: silent, rotateConsumer: silent, revokeConsumer: silent },
        () => undefined,
      ),
    ],
    logger: silentLogger(),
    metrics: createMetrics("test", { processMetrics: false }),
  });
  tested = await startTestConsole({ EVENTS_GRPC: `127.0.0.1:${events.port}` });
  [operator, viewer] = [await tested.signIn("operator"), await tested.signIn("viewer")];
});
beforeEach(() => {
  [sent, mode] = [0, "endless"];
});
afterAll(async () => {
  await tested.close();
  await events.close(0);
});

const tail = "/events/tail?client=0197a000-0000-7000-8000-000000000001&after=0";

it("buffers no more than the reader of a live tail reads, and ends the tail of a reader that stops reading", async () => {
  const response = await viewer.open(tail);
  await eventually(async () => sent > 1);
  await eventually(async () => readers === 0, { what: "the tail that nobody reads has ended", timeoutMs: 60_000 });
  // The buffers of both connections hold a few megabytes. Without back-pressure, an unread tail would buffer the whole
  // log.
  expect(sent * dataJson.length).toBeLessThan(64 * 1024 * 1024);
  await response.body?.cancel();
});

it("opens four live tails of a person and rejects the fifth, across all of the person's sessions", async () => {
  mode = "idle";
  const other = await tested.signIn("viewer");
  const gone = new AbortController();
  const open = await Promise.all(
    Array.from({ length: tailsPerPersonMax }, (_, index) => (index % 2 ? other : viewer).open(tail, gone.signal)),
  );
  expect(open.map(({ status }) => status)).toEqual(Array(tailsPerPersonMax).fill(200));
  expect((await viewer.ask(tail)).status).toBe(429);
  expect((await other.ask(tail)).status).toBe(429);
  expect((await operator.open(tail, gone.signal)).status).toBe(200);
  gone.abort();
  await eventually(async () => readers === 0);
});

it("passes an event on to a live tail with the digits that its publisher sent", async () => {
  mode = "expired";
  const response = await viewer.open(tail);
  expect(await response.text()).toContain('"data":{"total":1e400,');
});

it("ends a live tail when its reader signs out", async () => {
  mode = "idle";
  const leaving = await tested.signIn("support");
  const response = await leaving.open(tail);
  await eventually(async () => readers === 1);
  const csrf = await csrfOf(leaving);
  expect((await leaving.ask("/sign-out", { method: "POST", body: new URLSearchParams({ csrf }) })).status).toBe(303);
  expect(await response.text()).toContain("id: 1\n");
  await eventually(async () => readers === 0);
});

it("ends a live tail when its session ends at another console", async () => {
  mode = "idle";
  const leaving = await tested.signIn("support");
  const response = await leaving.open(tail);
  await eventually(async () => readers === 1);
  await tested.redis.del(...(await tested.redis.keys("console:session:*")));
  expect(await response.text()).toContain("id: 1\n");
  [operator, viewer] = [await tested.signIn("operator"), await tested.signIn("viewer")];
});

it("ends a live tail when its assertion expires, so that the browser reconnects, and keeps the session open", async () => {
  mode = "expired";
  expect(await (await viewer.open(tail)).text()).toContain("id: 1\n");
  expect((await viewer.ask("/clients")).status).toBe(200);
});

/** Posts a form with this number of bytes to a path. */
const postForm = (visitor: Visitor, path: string, fields: Readonly<Record<string, string>>, bytes: number) => {
  const body = `${new URLSearchParams(fields)}&catalog=`;
  return visitor.ask(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: body + "x".repeat(Math.max(0, bytes - body.length)),
  });
};
const apply = "/templates/apply?client=0197a000-0000-7000-8000-000000000001";
/**
 * Returns a token for the address of a large form. It is taken from another form, because a token is valid for all
 * forms of its session.
 */
async function formTokenOf(visitor: Visitor): Promise<string> {
  return /name="form" value="([^"]+)"/.exec((await visitor.ask("/clients/new")).text)?.[1] ?? "";
}

it("reads 64 KiB of a form, and not one byte more", async () => {
  const csrf = await csrfOf(operator);
  expect((await postForm(operator, "/clients/new", { csrf }, formBytesMax)).status).not.toBe(413);
  expect((await postForm(operator, "/clients/new", { csrf }, formBytesMax + 1)).status).toBe(413);
});

it("reads up to 6 MiB of the catalog's form and not one byte more, and only 64 KiB without a token", async () => {
  const csrf = await csrfOf(operator);
  const upload = `${apply}&upload=${await formTokenOf(operator)}`;
  expect((await postForm(operator, upload, { csrf }, largeFormBytesMax)).status).not.toBe(413);
  expect((await postForm(operator, upload, { csrf }, largeFormBytesMax + 1)).status).toBe(413);
  const foreign = `${apply}&upload=${await formTokenOf(await tested.signIn("root"))}`;
  for (const path of [apply, `${apply}&upload=`, `${apply}&upload=x`, foreign])
    expect([path, (await postForm(operator, path, { csrf }, formBytesMax + 1)).status]).toEqual([path, 413]);
});

it("serves pages to other people while a hostile catalog is read (quadratic check of duplicate keys)", async () => {
  const csrf = await csrfOf(operator);
  const catalog = Array.from({ length: 6_000 }, (_, number) => `x${number.toString(36)}:`).join("\n");
  let isRead = false;
  const body = new URLSearchParams({ csrf, catalog, step: "show" });
  const posted = operator.ask(apply, { method: "POST", body }).finally(() => {
    isRead = true;
  });
  let served = 0;
  while (!isRead) {
    expect((await viewer.ask("/clients")).status).toBe(200);
    served += 1;
  }
  expect((await posted).status).toBe(422);
  expect(served).toBeGreaterThan(5);
});

it("reads one large form of a person at a time if many arrive concurrently", async () => {
  const csrf = await csrfOf(operator);
  const upload = `${apply}&upload=${await formTokenOf(operator)}`;
  const statuses = await Promise.all(
    Array.from({ length: 6 }, async () => (await postForm(operator, upload, { csrf }, largeFormBytesMax)).status),
  );
  expect(statuses.filter((status) => status !== 429).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
});

it("rejects the first request of a person beyond the limits of running and waiting ones, and serves other people", async () => {
  const gone = new AbortController();
  const answers: number[] = [];
  const log = "/events/consumers?client=0197a000-0000-7000-8000-000000000001";
  const requests = Array.from({ length: requestsPerPersonMax + waitingPerPersonMax + 1 }, () =>
    operator.open(log, gone.signal).then(
      ({ status }) => answers.push(status),
      () => {},
    ),
  );
  // The other calls wait for an events-svc that does not respond.
  await Promise.race(requests);
  expect(answers).toEqual([429]);
  expect((await viewer.ask("/clients")).status).toBe(200);
  gone.abort();
  await Promise.all(requests);
});

it("passes its Redis check as a user that may access only the console's keys", async () => {
  const metrics = await (await fetch(`${tested.probeUrl}/metrics`)).text();
  expect(metrics).toContain('platform_dependency_up{dependency="redis",service="console"} 1');
  expect(await (await fetch(`${tested.probeUrl}/readyz`)).text()).not.toContain("redis");
});
