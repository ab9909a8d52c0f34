// Verifies calls with the official library. It reads one JSON line {secret, headers, body} per call and prints `ok` or
// `refused`.
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";

for await (const line of createInterface({ input: process.stdin })) {
  const { secret, headers, body } = JSON.parse(line);
  const webhook = secret.startsWith("whsec_")
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret), { format: "raw" });
  try {
    webhook.verify(body, headers);
    console.log("ok");
  } catch {
    console.log("refused");
  }
}
