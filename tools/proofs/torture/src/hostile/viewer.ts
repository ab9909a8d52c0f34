import { type Actor, type Count, pause, repeat } from "./actor.ts";
import { signInToConsole } from "./console-sign-in.ts";
import type { StackAddresses } from "./setting.ts";

/**
 * An operator with read permissions only. It opens everything concurrently, opens live tails without reading them, and
 * sends forms that are far too large.
 */
export function createViewer(): Actor {
  let setting: StackAddresses | undefined;
  let cookie = "";
  let csrf = "";
  const signIn = async (at: StackAddresses): Promise<void> => {
    ({ cookie, csrf } = await signInToConsole(at.consoleUrl, "viewer", at.viewerPassword));
  };
  return {
    name: "viewer",
    prepare: async (at) => {
      setting = at;
      await signIn(at);
    },
    attack: async (signal, count) => {
      if (setting === undefined) throw new Error("prepare() comes first");
      const { consoleUrl, clientId } = setting;
      const since = "1970-01-01T00:00:00Z";
      const open = async (path: string, signal: AbortSignal): Promise<number> => {
        const response = await fetch(`${consoleUrl}${path}`, { redirect: "manual", headers: { cookie }, signal });
        await response.arrayBuffer();
        return response.status;
      };
      const pages = (what: string, path: string, loops: number) =>
        repeat(signal, { loops, pauseMs: 20 }, what, count, (signal) => open(path, signal));
      // Encoding it for each attempt would take most of this process's time.
      const largeForm = new URLSearchParams({ csrf, client: clientId, catalog: "x\n".repeat(2_500_000) }).toString();
      await Promise.all([
        pages("overview", "/", 16),
        pages("search since 1970", `/search?q=00000000-0000-7000-8000-000000000000&since=${since}`, 4),
        pages("verify a chain", `/audits/verify?client=${clientId}`, 16),
        pages("list of deliveries", `/deliveries?client=${clientId}&since=${since}`, 4),
        ...Array.from({ length: 16 }, () =>
          holdTail(`${consoleUrl}/events/tail?client=${clientId}&after=0`, cookie, signal, count),
        ),
        repeat(signal, { loops: 16, pauseMs: 100 }, "form of 5 MB", count, async (signal) => {
          const form = {
            method: "POST",
            redirect: "manual",
            headers: { cookie, origin: consoleUrl, "content-type": "application/x-www-form-urlencoded" },
            body: largeForm,
            signal,
          } as const;
          return (await fetch(`${consoleUrl}/templates/apply`, form)).status;
        }),
      ]);
    },
    close: async () => {},
  };
}

/** Opens a live tail and does not read it. */
async function holdTail(url: string, cookie: string, signal: AbortSignal, count: Count): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { headers: { cookie }, signal });
      count("unread tail", String(response.status));
      if (response.ok) await pause(30_000, signal);
      await response.body?.cancel();
    } catch (error) {
      if (!signal.aborted) count("unread tail", (error as Error).name);
    }
    await pause(250, signal);
  }
}
