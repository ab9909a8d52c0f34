// A BullMQ worker that makes signed calls (Standard Webhooks). BullMQ claims each job under a lock, records its outcome in Redis and retries a failure
// with backoff.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { Worker } from "bullmq";
import { Redis } from "ioredis";
import { Agent } from "undici";

const concurrency = Number(process.env.CONCURRENCY);
const secret = Buffer.from(process.env.SECRET, "base64");
const dispatcher = new Agent({ connections: concurrency });
const connection = new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null });

async function call({ id, data, attemptsMade }) {
  const body = JSON.stringify({ operation_id: id, name: data.name, attempt: attemptsMade + 1 });
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const { origin, pathname } = new URL(data.url);
  const { statusCode, body: answer } = await dispatcher.request({
    origin,
    path: pathname,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
    body,
    headersTimeout: 10_000,
  });
  await answer.dump();
  if (statusCode < 200 || statusCode > 299) throw new Error(`the target responded ${statusCode}`);
  return { status: statusCode };
}

const worker = new Worker("calls", call, { connection, concurrency });
worker.on("error", (error) => console.error(error.message));
const server = createServer((_, response) => response.end());
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
