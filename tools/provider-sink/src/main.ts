import { parseArgs } from "node:util";
import { defined } from "@platform/kit/process/fields";
import { startProviderSink } from "./start-provider-sink.ts";

const { values } = parseArgs({
  options: {
    "http-port": { type: "string", default: "8025" },
    "smtp-port": { type: "string", default: "1025" },
    "smtps-port": { type: "string", default: "0" },
    "apns-port": { type: "string", default: "0" },
    "apns-tls-port": { type: "string", default: "0" },
    "report-port": { type: "string" },
    "max-messages": { type: "string", default: "200000" },
    dir: { type: "string" },
  },
});

const sink = await startProviderSink({
  httpPort: readNumber("http-port", 65_535),
  // In a container, the sink listens on every address, because its page and its list of messages are read from outside.
  httpHost: process.env.SINK_HTTP_HOST ?? "127.0.0.1",
  smtpPort: readNumber("smtp-port", 65_535),
  smtpsPort: readNumber("smtps-port", 65_535),
  apnsPort: readNumber("apns-port", 65_535),
  apnsTlsPort: readNumber("apns-tls-port", 65_535),
  maxMessages: readNumber("max-messages", 10_000_000),
  ...(values["report-port"] === undefined ? {} : { reportPort: readNumber("report-port", 65_535) }),
  ...defined({ directory: values.dir }),
});

// JSON omits functions, so this prints only the addresses and the certificate.
console.log(JSON.stringify(sink));

for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void sink.close());

function readNumber(name: Exclude<keyof typeof values, "dir">, max: number): number {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 0 || number > max) {
    throw new Error(`--${name} must be a whole number from 0 to ${max}, not ${values[name]}`);
  }
  return number;
}
