import { expect, test } from "vitest";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test.each([
  ["01", 1],
  ["00", 0],
])("reads and writes a traceparent with flags %s unchanged", (flags, traceFlags) => {
  const text = `00-${traceId}-${spanId}-${flags}`;
  expect(parseTraceparent(text)).toEqual({ traceId, spanId, traceFlags, isRemote: true });
  expect(formatTraceparent({ traceId, spanId, traceFlags })).toBe(text);
});

test.each([
  ["nothing", undefined],
  ["another version", `01-${traceId}-${spanId}-01`],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
  ["a span id of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
  ["upper case", `00-${traceId.toUpperCase()}-${spanId}-01`],
  ["a line break behind", `00-${traceId}-${spanId}-01\n`],
])("refuses %s as a traceparent", (_what, text) => {
  expect(parseTraceparent(text)).toBeNull();
});
