import type { Actor } from "./actor.ts";
import { closeConnections } from "./ask-once.ts";
import { createConsumer } from "./consumer.ts";
import type { CallersReply, CallersRequest } from "./messages.ts";
import { createOutsider } from "./outsider.ts";
import { createProject } from "./project.ts";
import { createViewer } from "./viewer.ts";

// The process of the hostile callers. It is separate, so that their work does not affect the honest caller's measured
// times.

let actors: readonly Actor[] = [createOutsider(), createConsumer(), createViewer(), createProject()];
const counts = new Map<string, number>();
let attack: { readonly stop: AbortController; readonly ended: Promise<unknown> } | null = null;

const reply = (message: CallersReply): void => void process.send?.(message);

async function handle(request: CallersRequest): Promise<void> {
  if ("prepare" in request) {
    actors = actors.filter(({ name }) => request.names.includes(name));
    for (const actor of actors) await actor.prepare(request.prepare);
  } else if ("attack" in request) {
    const stop = new AbortController();
    const started = actors.map((actor) =>
      actor.attack(stop.signal, (what, outcome) => {
        const key = `${actor.name}|${what}|${outcome}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }),
    );
    attack = { stop, ended: Promise.all(started) };
    // If the attack code itself fails, rather than one of its attempts, the run must not be reported as survived.
    attack.ended.catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  } else if ("pause" in request) {
    attack?.stop.abort();
    await attack?.ended;
    attack = null;
  } else {
    for (const actor of actors) await actor.close();
    await closeConnections();
  }
  reply({ done: true, counts: [...counts] });
}

process.on("message", (request: CallersRequest) => {
  handle(request).catch((error: unknown) => reply({ done: false, failure: (error as Error).message, counts: [] }));
});
process.on("disconnect", () => process.exit(0));
