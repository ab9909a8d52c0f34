import { setTimeout as delay } from "node:timers/promises";
import { passwordIn, signInWith, visitorOf } from "@platform/stack/console-visitor";
import { type LoadSample, runClosedLoop } from "../load/sample.ts";
import { type Contender, medianOf, missedIfRefused, type Row } from "../row.ts";
import { startFilledPlatform } from "./fill-platform.ts";
import { page } from "./growth.ts";

const goalMs = 300;
/** Time for which the console keeps its first page for people with the same roles. */
const firstPageKeptMs = 3_000;
/** Number of documents and of Project Clients. */
const [documents = 0, clients = 0] = (process.env.CONSOLE ?? "1000000/5000").split("/").map(Number);
const paths = ["/", "/deliveries", "/deliveries?status=failed", "/clients"] as const;
const roles = ["viewer", "support", "operator", "security", "root"] as const;

/** Measures pages of the console on a large platform. */
export const consoleRow: Row = {
  id: "CONSOLE",
  title: `Pages of the console, ${clients.toLocaleString("en")} clients, ${documents.toLocaleString("en")} deliveries`,
  isOnRequest: true,
  run: async (bench) => {
    const { platform } = await startFilledPlatform(bench, { documents, clients, prefix: "console" });
    const { ports, directory } = platform.stack;
    const visitors = await Promise.all(
      roles.map((role) =>
        signInWith(visitorOf(`http://127.0.0.1:${ports.console}`), role, passwordIn(directory, role), "/erasures"),
      ),
    );
    const contenders = paths.map((path) =>
      pageContender(
        path,
        visitors.map((visitor) => () => page(visitor, path)),
      ),
    );
    const measured = await bench.measure(contenders);
    return {
      measured,
      checks: paths.map((path) => {
        const ms = medianOf(measured, path, "p50Ms");
        const check = { text: `p50 of ${path} ≤ ${goalMs} ms`, value: `${ms.toFixed(0)} ms`, met: ms <= goalMs };
        return missedIfRefused(measured, [path], check);
      }),
      notes: [
        "One person of each of the five roles loads the page, one after another. The console renders each of these pages anew: it keeps the first page for three seconds, and no run begins within them.",
      ],
    };
  },
};

/**
 * Creates the contender that loads a page once per run for each person.
 * @param loads loads the page, one function for each person
 */
export function pageContender(
  path: string,
  loads: readonly (() => Promise<unknown>)[],
  pause: (ms: number) => Promise<unknown> = delay,
): Contender {
  const once = async (index: number): Promise<unknown> => loads[index % loads.length]?.();
  const run = async (durationMs: number): Promise<LoadSample> => {
    if (path === "/") await pause(firstPageKeptMs + 100);
    return runClosedLoop({ concurrency: 1, durationMs: durationMs + 60_000, limit: loads.length, once });
  };
  return { name: path, role: "ours", unit: "pages/s", run };
}
