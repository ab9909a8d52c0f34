import { expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { createLongUploads, servePublic } from "../src/http/serve-public.ts";

test.each([
  [undefined, 75_000],
  ["3660", 3_660_000],
])("closes an idle connection after KEEP_ALIVE_SECONDS=%s", async (seconds, idleMs) => {
  const { http } = readConfig({ KEEP_ALIVE_SECONDS: seconds });
  const { server, close } = await servePublic({
    ...http,
    port: 0,
    router: (_request, response) => void response.end(),
    networkOf: () => null,
    longUploads: createLongUploads(),
  });
  const limits = server as unknown as { keepAliveTimeout: number; keepAliveTimeoutBuffer: number };
  expect(limits.keepAliveTimeout + limits.keepAliveTimeoutBuffer).toBe(idleMs);
  await close(0);
});

test.each(["4", "7201"])("refuses KEEP_ALIVE_SECONDS=%s", (seconds) => {
  expect(() => readConfig({ KEEP_ALIVE_SECONDS: seconds })).toThrow("KEEP_ALIVE_SECONDS");
});
