import { serviceNames } from "@platform/contracts/services";
import { eventually } from "@platform/test-kit/eventually";
import type { Collection, Document } from "mongodb";
import type { OwnStack } from "./own-stack.ts";

/**
 * Kills a process with SIGKILL as soon as its work has begun, and starts it again.
 * @param remaining returns how much of the work is left
 * @returns how much was left when the process was killed, and the total
 */
export async function killOnceBegun(
  own: OwnStack,
  name: string,
  remaining: () => Promise<number>,
  all: number,
): Promise<{ left: number; all: number }> {
  await eventually(async () => (await remaining()) < all, { timeoutMs: 60_000, everyMs: 1, what: `${name} begins` });
  await own.stack.kill(name, "SIGKILL");
  const left = await remaining();
  await own.stack.start(name);
  return { left, all };
}

/**
 * Waits until no action in the record of operators' actions has the outcome `started`. The actions of killed processes
 * are settled after a time limit, which this function ends immediately.
 */
export async function settledActions(
  own: OwnStack,
  collection: (service: string, name: string) => Collection<Document>,
): Promise<Document[]> {
  for (const service of serviceNames) {
    const actions = collection(service, "operator_actions");
    await actions.updateMany({ outcome: "started" }, { $set: { settle_by: new Date(1) } });
  }
  return eventually(
    async () => {
      const { items } = await own.ctl(["operator-actions", "list", "--limit", "200"]);
      return items.every(({ outcome }: Document) => outcome !== "started") ? items : null;
    },
    { timeoutMs: 90_000, everyMs: 500, what: "every action is settled" },
  );
}

/** Waits until every service has finished its part of an erasure. */
export async function erasureDone(own: OwnStack, id: string): Promise<void> {
  await eventually(async () => (await own.ctl(["erasures", "show", "--erasure", id])).status === "done", {
    timeoutMs: 90_000,
    everyMs: 500,
    what: "the erasure is done",
  });
}

/** Calls a function many times, with twenty concurrent calls. */
export async function inTurns(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}
