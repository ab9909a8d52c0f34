import { Readable } from "node:stream";
import { readBounded } from "@platform/kit/web/http";
import type { z } from "zod";

const timeoutMs = 2_000;
const bytesMax = 4 * 1024 * 1024;

/**
 * Reads JSON from a configured monitoring system by GET. Throws if the response is late, too long, an error or
 * malformed.
 */
export async function readJson<S extends z.ZodType>(url: URL, schema: S): Promise<z.output<S>> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.body === null || !response.ok) {
    await response.body?.cancel();
    throw new Error(`${url.origin} answered ${response.status}`);
  }
  const body = await readBounded(Readable.fromWeb(response.body), bytesMax + 1);
  if (body.byteLength > bytesMax) throw new Error(`${url.origin} answered more than ${bytesMax} bytes`);
  return schema.parse(JSON.parse(body.toString("utf8")));
}

/** Returns a URL below the base URL, which may itself have a path. */
export function urlBelow(base: string, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(`${base.replace(/\/$/, "")}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
