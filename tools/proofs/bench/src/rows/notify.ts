import { setTimeout as delay } from "node:timers/promises";
import { messagingApi } from "@line/bot-sdk";
import nodemailer from "nodemailer";
import { type LoadSample, rateOf, runClosedLoop } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { pin } from "../processes.ts";
import { type Bench, type Contender, type Row, ratioCheck } from "../row.ts";
import { arrivedCount, type Channel, channels, prepareDeliveries } from "./deliveries.ts";

/** Number of concurrent calls of the bare client; a worker keeps this many connections to an HTTP provider. */
const concurrency = 32;
const backlogLength = 5_000;
const worker = "notify-svc-worker";
const unit = "deliveries/s";
const oursOf = (channel: Channel): string => `${channel}: worker`;
const rawOf = (channel: Channel): string => `${channel}: raw client`;

/**
 * Measures deliveries from the queue to the provider by one worker, compared with a loop over the provider's library
 * that stores and evaluates nothing.
 */
export const notifyRow: Row = {
  id: "NOTIFY",
  title: `Deliveries by one worker, beside ${concurrency} raw calls at once`,
  run: async (bench) => {
    const platform = await bench.platform();
    const { stack } = platform;
    pin(stack.pid(worker), "measured");
    bench.defer(async () => pin(stack.pid(worker), "stores"));
    const contenders: Contender[] = [];
    for (const channel of channels) contenders.push(...(await contendersOf(bench, platform, channel)));
    const measured = await bench.measure(contenders);
    return {
      measured,
      checks: channels.map((channel) => ratioCheck(measured, [oursOf(channel), rawOf(channel)])),
      notes: [
        `The worker drains a backlog of ${backlogLength.toLocaleString("en")}, made while it is paused; it checks the endpoint, claims by lease and records the outcome durably for each delivery. 16 SMTP or 32 HTTP connections on both sides.`,
      ],
    };
  },
};

async function contendersOf(bench: Bench, platform: Platform, channel: Channel): Promise<Contender[]> {
  const { stack } = platform;
  const { addresses, loadOf } = await prepareDeliveries(platform, channel);
  const sink = stack.settings.SINK_URL ?? "";
  const { send, close } = rawClient(channel, sink, stack.ports.sinkSmtp);
  bench.defer(async () => close());
  let isFirst = true;
  const drain = async (): Promise<LoadSample> => {
    const count = isFirst ? backlogLength / 5 : backlogLength;
    isFirst = false;
    await fetch(`${sink}/messages`, { method: "DELETE" });
    await stack.kill(worker, "SIGSTOP");
    const { good, refusals } = await bench.generator
      .run("http", loadOf(count))
      .finally(() => stack.kill(worker, "SIGCONT"));
    if (good < count) throw new Error(`intents were refused: ${JSON.stringify(refusals)}`);
    const startedAtMs = performance.now();
    for (; (await arrivedCount(sink)) < count; await delay(20)) {
      if (performance.now() - startedAtMs > 120_000) throw new Error("some of the deliveries did not arrive");
    }
    return rateOf(count, performance.now() - startedAtMs);
  };
  const once = (index: number): Promise<unknown> => send(addresses[index % addresses.length] ?? "");
  return [
    { name: oursOf(channel), role: "ours", unit, run: drain },
    {
      name: rawOf(channel),
      role: "baseline",
      unit,
      run: async (durationMs) => {
        await fetch(`${sink}/messages`, { method: "DELETE" });
        return runClosedLoop({ concurrency, durationMs, once });
      },
    },
  ];
}

/** Creates the contender that calls the provider's own library in a simple loop. */
function rawClient(channel: Channel, sink: string, smtpPort: number) {
  const [subject, text] = ["Order 7", "Dear Ann, order 7 left."];
  if (channel === "line") {
    const client = new messagingApi.MessagingApiClient({ channelAccessToken: "token", baseURL: sink });
    const messages: messagingApi.Message[] = [{ type: "text", text: `${subject}\n${text}` }];
    return { send: (to: string): Promise<unknown> => client.pushMessage({ to, messages }), close: () => {} };
  }
  const connections = { pool: true, maxConnections: 16, maxMessages: 1_000 } as const;
  const server = { host: "127.0.0.1", port: smtpPort, tls: { rejectUnauthorized: false } };
  const pool = nodemailer.createTransport({ ...connections, ...server });
  const send = (to: string): Promise<unknown> =>
    pool.sendMail({ from: "Shop <no-reply@shop.example>", to, subject, text });
  return { send, close: () => pool.close() };
}
