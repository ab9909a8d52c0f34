import { inSpan } from "@platform/kit/process/telemetry";
import { startTracing } from "@platform/kit/process/tracing";
import { eventually } from "@platform/test-kit/eventually";
import { startTraceReceiver, type TraceReceiver } from "@platform/test-kit/trace-receiver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";

let bed: ScheduleBed;
let receiver: TraceReceiver;
let stopTracing: () => Promise<void>;

beforeAll(async () => {
  receiver = await startTraceReceiver();
  stopTracing = startTracing({ endpoint: receiver.url, serviceName: "test", sampleRatio: 1, exportDelayMs: 10 });
  bed = await startScheduleBed();
});
afterAll(async () => {
  await bed.close();
  await stopTracing();
  receiver.close();
});

test("records a call in the trace of the operator's invocation", async () => {
  const id = await bed.register(await bed.identity.createClient());
  await inSpan("operator", { kind: "server" }, () => bed.invoke(id));
  await bed.runWhen(id, ({ status }) => status === "succeeded");
  const spanOf = (name: string, isIt: (span: { traceId: string; parentSpanId: string }) => boolean = () => true) =>
    eventually(() => receiver.spans().find((span) => span.name === name && isIt(span)));
  const operator = await spanOf("operator");
  const job = await spanOf("job make-run", ({ traceId }) => traceId === operator.traceId);
  const call = await spanOf("POST", ({ parentSpanId }) => parentSpanId === job.spanId);
  expect(call.traceId).toBe(operator.traceId);
});
