import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { createSemaphore } from "@platform/kit/jobs/pacing";
import type { ReadCatalog } from "./catalog-worker.ts";
import { PageProblem } from "./page-problem.ts";

export type CatalogFiles = ReturnType<typeof createCatalogFiles>;

/** Longest time in milliseconds that reading a catalog may take. A catalog of 6 MiB takes a few seconds. */
const readMsMax = 20_000;
/** Maximum number of catalogs that are read concurrently, of one person and of all people. */
const readsPerPersonMax = 1;
const readsMax = 2;
/** Memory of a thread in MiB. The syntax tree of a catalog is many times as large as its text. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

/**
 * Reads posted catalogs, each in a thread of its own. Reading YAML takes seconds for a large text, and for a small one
 * with many keys in a map, because the parser compares each key with all others. Pages of other people must not wait.
 */
export function createCatalogFiles(waitMs = readMsMax) {
  const reads = createSemaphore({ total: readsMax, by: { person: () => readsPerPersonMax } });
  return {
    /**
     * Returns the templates of a catalog file.
     * @throws PageProblem 422 if it is not a valid catalog, takes too long or needs too much memory; 429 if the person
     * or the console is already reading others
     */
    read: async (person: string, yaml: string) => {
      const release = reads.tryAcquire({ person });
      if (release === null)
        throw new PageProblem(429, "Too many requests", "Other catalogs are being read. Try again in a few seconds.");
      const worker = new Worker(new URL("./catalog-worker.ts", import.meta.url), {
        name: "catalog",
        workerData: yaml,
        resourceLimits,
      });
      // The thread must not keep a finished process alive.
      worker.unref();
      // An error that comes after the time limit has no other listener and would end the console.
      worker.on("error", () => {});
      try {
        const [answer] = (await once(worker, "message", { signal: AbortSignal.timeout(waitMs) }).catch(
          tooLarge,
        )) as ReadCatalog[];
        if (answer === undefined || "problems" in answer)
          throw new PageProblem(422, "This is not a valid catalog", (answer?.problems ?? []).join("; "));
        return answer.templates;
      } finally {
        await worker.terminate();
        release();
      }
    },
  };
}

/** Throws the page for a catalog whose thread had no time or no memory left. Other errors are faults of the console. */
function tooLarge(error: unknown): never {
  const { name, code } = error as { name?: string; code?: string };
  if (name !== "AbortError" && code !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
  throw new PageProblem(
    422,
    "The catalog is too large to be read here",
    "Nothing was changed. Use platformctl catalog apply --file catalog.yaml, with --dry-run for a preview.",
  );
}
