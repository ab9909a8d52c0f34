import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { createInterface } from "node:readline";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ErrorDetailSchema } from "@platform/proto/errors/v1/error_detail";
import { DomainEventService, PublishDomainEventRequestSchema } from "@platform/proto/events/v1/events_service";
import { eventually } from "@platform/test-kit/eventually";
import { endChild } from "@platform/test-kit/test-process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectGrpc } from "../src/rpc/connect.ts";
import { isServiceError } from "../src/rpc/service-error.ts";

const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
let child: ChildProcess;
let port = 0;
const ends: (() => void)[] = [];

beforeEach(async () => {
  child = spawn(process.execPath, [new URL("./served-process.ts", import.meta.url).pathname], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("no output");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  port = Number(line.replace("LISTENING ", ""));
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await endChild(child);
});

function connect(isMuxUsed = true) {
  const connection = connectGrpc({ address: `127.0.0.1:${port}`, tls: null, isMuxUsed });
  ends.push(() => connection.close());
  return connection.service(DomainEventService).publishDomainEvent;
}
type Publish = ReturnType<typeof connect>;

/** Stops the process in the same way as a paused virtual machine or a cgroup freezer. Resolves once it has stopped. */
async function stop(): Promise<void> {
  child.kill("SIGSTOP");
  await eventually(() => / T /.test(readFileSync(`/proc/${child.pid}/stat`, "utf8")));
}

/** Returns the calls that the service has started, which it reports once it runs again. */
async function begunTypes(publish: Publish): Promise<string[]> {
  const { event } = await publish(
    { type: "last", schemaVersion: 1, dataJson: "{}" },
    { context, retryUnavailable: true },
  );
  return (event?.type ?? "").split(" ");
}

/** Sends calls whose deadlines pass while the service is stopped, and returns their outcomes. */
function callStopped(publish: Publish, types: readonly string[]): Promise<string[]> {
  const deadlineMs = Date.now() + 400;
  const ended = types.map((type) =>
    publish({ type, schemaVersion: 1, dataJson: "{}" }, { context, deadlineMs }).then(
      () => "answered",
      (error: unknown) => (isServiceError(error) ? error.code : String(error)),
    ),
  );
  return Promise.all(ended);
}

test("starts no call on a stream whose deadline passed while the service was stopped", async () => {
  const publish = connect();
  await publish({ type: "first", schemaVersion: 1, dataJson: "{}" }, { context });
  await stop();
  const types = Array.from({ length: 20 }, (_, index) => `stopped.${index}`);
  expect(new Set(await callStopped(publish, types))).toEqual(new Set(["deadline_exceeded"]));
  child.kill("SIGCONT");
  expect(await begunTypes(publish)).toEqual(["first", "last"]);
});

test("does not start a large call whose deadline passed while the service was stopped", async () => {
  const publish = connect();
  await publish({ type: "first", schemaVersion: 1, dataJson: "{}" }, { context });
  await stop();
  expect(await callStopped(publish, ["x".repeat(200_000)])).toEqual(["deadline_exceeded"]);
  child.kill("SIGCONT");
  expect(await begunTypes(publish)).toEqual(["first", "last"]);
});

test("refuses an expired unary call of a caller that does not know the service's clock, and reports it", async () => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  ends.push(() => session.destroy());
  await once(session, "connect");
  await stop();
  // This caller never cancels. Its call stays unread in the kernel, and without the service's clock its deadline counts
  // from when it is read.
  const stream = session.request({
    ":method": "POST",
    ":path": "/projectintegration.events.v1.DomainEventService/PublishDomainEvent",
    "content-type": "application/grpc",
    te: "trailers",
    "grpc-timeout": "700m",
  });
  const message = toBinary(
    PublishDomainEventRequestSchema,
    create(PublishDomainEventRequestSchema, { type: "stopped", schemaVersion: 1, dataJson: "{}" }),
  );
  const frame = Buffer.alloc(5 + message.byteLength);
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, 5);
  stream.end(frame);
  const headers: IncomingHttpHeaders = {};
  stream.on("response", (received) => Object.assign(headers, received));
  stream.on("trailers", (received) => Object.assign(headers, received));
  stream.resume();
  const startedAtMs = performance.now();
  await eventually(() => performance.now() - startedAtMs > 1_500);
  child.kill("SIGCONT");
  await once(stream, "close");
  expect(await begunTypes(connect())).toEqual(["last"]);
  expect(headers["grpc-status"]).toBe("4");
  const detail = fromBinary(ErrorDetailSchema, Buffer.from(String(headers["platform-error-bin"]), "base64"));
  expect(detail).toMatchObject({ code: "deadline_exceeded", notBegun: true });
});

test("reports a call as not started if its deadline passes before it is sent", async () => {
  const publish = connect();
  await publish({ type: "first", schemaVersion: 1, dataJson: "{}" }, { context });
  const error = await publish(
    { type: "late", schemaVersion: 1, dataJson: "{}" },
    { context, deadlineMs: Date.now() - 1 },
  ).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "deadline_exceeded", begun: false });
  expect(await begunTypes(publish)).toEqual(["first", "last"]);
});

test("loses no call if the service stops for less time than the deadlines allow", async () => {
  const publish = connect();
  await publish({ type: "first", schemaVersion: 1, dataJson: "{}" }, { context });
  await stop();
  const calling = Promise.all(
    ["a", "b"].map((type) =>
      publish({ type, schemaVersion: 1, dataJson: "{}" }, { context, deadlineMs: Date.now() + 10_000 }),
    ),
  );
  const startedAtMs = performance.now();
  await eventually(() => performance.now() - startedAtMs > 1_000);
  child.kill("SIGCONT");
  await calling;
  expect(await begunTypes(publish)).toEqual(["first", "a", "b", "last"]);
});
