import { serveEvents } from "./serve-events.ts";

// A service that runs in a process of its own, for tests that stop it. It responds to each call with the types of all
// calls that it has started.
const begun: string[] = [];
const server = await serveEvents(async ({ type }) => {
  begun.push(type.slice(0, 20));
  return { event: { type: begun.join(" ") } };
});
process.stdout.write(`LISTENING ${server.port}\n`);
