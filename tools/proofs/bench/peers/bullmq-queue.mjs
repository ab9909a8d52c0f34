// Fills a BullMQ queue on REDIS_URL. POST /fill?count=N pauses the queue and adds N calls over the targets under TARGET; POST /resume starts the worker.
// GET /unfinished returns the number of calls without a recorded outcome.
import { createServer } from "node:http";
import { Queue } from "bullmq";
import { Redis } from "ioredis";

const targets = 100;
const batchLength = 1_000;
const connection = new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null });
const queue = new Queue("calls", { connection });
let made = 0;

async function fill(count) {
  await queue.pause();
  for (let left = count; left > 0; left -= batchLength) {
    const jobs = Array.from({ length: Math.min(batchLength, left) }, () => {
      made += 1;
      const data = { url: `${process.env.TARGET}/hook/${made % targets}`, name: `bench.call${made % targets}` };
      return { name: "call", data, opts: { attempts: 8, backoff: { type: "exponential", delay: 1_000 } } };
    });
    await queue.addBulk(jobs);
  }
}

async function countUnfinished() {
  const counts = await queue.getJobCounts("waiting", "active", "delayed", "paused", "prioritized");
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
  if (pathname === "/fill") await fill(Number(searchParams.get("count")));
  else if (pathname === "/resume") await queue.resume();
  response.end(pathname === "/unfinished" ? `${await countUnfinished()}` : "");
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
