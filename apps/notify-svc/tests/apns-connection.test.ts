import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { startProviderSink } from "@platform/provider-sink";
import { expect, test } from "vitest";
import type { ApnsConfig } from "../src/domain/sender-profile.ts";
import { createApnsSender } from "../src/providers/apns.ts";
import { connectionsMax, type SendRequest } from "../src/providers/sender.ts";

const { privateKey } = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

const config = {
  team_id: "TEAM123456",
  key_id: "KEY1234567",
  private_key: privateKey,
  topic: "com.example.app",
  environment: "sandbox",
} as ApnsConfig;

const requestTo = (address: string): SendRequest => ({
  deliveryId: randomUUID(),
  projectClientId: "client",
  endpointId: null,
  attempt: 1,
  address,
  environment: "development",
  message: {
    kind: "notification",
    content: { subject: "Hi", text: "there", html: null, push: null },
    unsubscribeUrl: null,
  },
  acceptedAt: new Date(),
  ttlSeconds: 60,
  mayBegin: () => true,
});

test("sends all pushes that a worker claims over one new connection, without adding a listener for each push", async () => {
  const sink = await startProviderSink();
  const sender = createApnsSender({ baseUrl: sink.apnsBaseUrl, answerMs: 10_000 });
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.message);
  process.on("warning", onWarning);
  try {
    const outcomes = await Promise.all(
      Array.from({ length: connectionsMax.apns }, (_, index) =>
        sender.send("profile", config, requestTo(index.toString(16).padStart(64, "0")), new AbortController().signal),
      ),
    );
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
    // Node emits a warning about too many listeners in the next tick.
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", onWarning);
    await sender.close();
    await sink.close();
  }
});

test("gives up a push if its time ends before the connection is established", async () => {
  // This server accepts connections and sends nothing, so that the TLS handshake never ends.
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const sender = createApnsSender({ baseUrl: `https://127.0.0.1:${port}`, answerMs: 10_000 });
  const over = new AbortController();
  try {
    const sending = sender.send("profile", config, requestTo("ab".repeat(32)), over.signal);
    over.abort(new DOMException("too late", "TimeoutError"));
    expect(await sending).toMatchObject({ kind: "retry", errorCode: "provider_timeout" });
  } finally {
    await sender.close();
    silent.close();
  }
});
