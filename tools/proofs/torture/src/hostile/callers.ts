import type { Actor } from "./actor.ts";
import { closeConnections } from "./ask-once.ts";
import { createPatternConsumer, createStreamConsumer } from "./consumer.ts";
import type { CallerName, CallersReply, CallersRequest } from "./messages.ts";
import { createOutsider } from "./outsider.ts";
import { createProject } from "./project.ts";
import { createViewer } from "./viewer.ts";

// The process of one hostile caller. It is separate, so that its work affects neither the honest caller's measured
// times nor the pace of the other attackers.

const actors: Readonly<Record<CallerName, () => Actor>> = {
  outsider: createOutsider,
  "unread streams": createStreamConsumer,
  "many patterns": createPatternConsumer,
  viewer: createViewer,
  project: createProject,
};
let actor: Actor | undefined;
const counts = new Map<string, number>();
let attack: { readonly stop: AbortController; readonly ended: Promise<unknown> } | null = null;

const reply = (message: CallersReply): void => void process.send?.(message);

async function handle(request: CallersRequest): Promise<void> {
  if ("prepare" in request) {
    actor = actors[request.name]();
    await actor.prepare(request.prepare);
    return;
  }
  if (actor === undefined) throw new Error("prepare comes first");
  if ("attack" in request) {
    const stop = new AbortController();
    const { name } = actor;
    const ended = actor.attack(stop.signal, (what, outcome) => {
      const key = `${name}|${what}|${outcome}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    attack = { stop, ended };
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
    await actor.close();
    await closeConnections();
  }
}

process.on("message", (request: CallersRequest) => {
  handle(request).then(
    () => reply({ done: true, counts: [...counts] }),
    (error: unknown) => reply({ done: false, failure: (error as Error).message, counts: [] }),
  );
});
process.on("disconnect", () => process.exit(0));
