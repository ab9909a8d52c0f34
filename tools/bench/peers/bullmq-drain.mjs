// Drains COUNT BullMQ jobs whose work is nothing, with a concurrency of 64, and prints how many a second.
import { Queue, Worker } from "bullmq";

const { hostname, port } = new URL(process.env.REDIS_URL);
const connection = { host: hostname, port: Number(port) };
const count = Number(process.env.COUNT);
const name = `bench-${process.pid}`;
const queue = new Queue(name, { connection });
for (let at = 0; at < count; at += 1_000) {
  const size = Math.min(1_000, count - at);
  await queue.addBulk(Array.from({ length: size }, (_, index) => ({ name: "call", data: { index } })));
}
const startedAtMs = performance.now();
let done = 0;
const worker = new Worker(name, async () => {}, { connection, concurrency: 64, removeOnComplete: { count: 0 } });
await new Promise((resolve) => {
  worker.on("completed", () => {
    done += 1;
    if (done === count) resolve();
  });
});
console.log(JSON.stringify({ count, ms: performance.now() - startedAtMs }));
await worker.close();
await queue.obliterate({ force: true });
await queue.close();
process.exit(0);
