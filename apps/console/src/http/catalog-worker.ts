import { parentPort, workerData } from "node:worker_threads";
import { readCatalogFile } from "@platform/contracts/operator/catalog-file";
import { parse } from "yaml";

/** The templates of a catalog file, or the reasons why it is not one. */
export type ReadCatalog = ReturnType<typeof readCatalogFile>;

function read(yaml: string): ReadCatalog {
  try {
    return readCatalogFile(parse(yaml));
  } catch (error) {
    return { problems: [(error as Error).message] };
  }
}

parentPort?.postMessage(read(workerData as string));
