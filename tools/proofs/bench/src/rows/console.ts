import { passwordIn, signInWith, visitorOf } from "@platform/stack/console-visitor";
import { runClosedLoop } from "../load/sample.ts";
import { type Contender, judged, medianOf, type Row } from "../row.ts";
import { startFilledPlatform } from "./fill-platform.ts";
import { page } from "./growth.ts";

const goalMs = 300;
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
    const contenders = paths.map((path): Contender => {
      const once = async (index: number): Promise<void> => {
        const visitor = visitors[index % visitors.length];
        if (visitor !== undefined) await page(visitor, path);
      };
      // Each role loads a page once per run, because the first page is cached for three seconds for people with the
      // same roles.
      const run = (durationMs: number) =>
        runClosedLoop({ concurrency: 1, durationMs: durationMs + 60_000, limit: roles.length, once });
      return { name: path, role: "ours", unit: "pages/s", run };
    });
    const measured = await bench.measure(contenders);
    return {
      measured,
      checks: paths.map((path) => {
        const ms = medianOf(measured, path, "p50Ms");
        const check = { text: `p50 of ${path} ≤ ${goalMs} ms`, value: `${ms.toFixed(0)} ms`, met: ms <= goalMs };
        return judged(measured, [path], check);
      }),
      notes: ["One person of each of the five roles loads the page, one after another."],
    };
  },
};
