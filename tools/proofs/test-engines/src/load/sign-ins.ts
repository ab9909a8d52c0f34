import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type DomainKind, verdictOn } from "@platform/torture/domain";
import { acknowledge, begin, type Entries } from "@platform/torture/entry";
import type { LoadReports } from "./stand-in.ts";

const hopsMax = 8;
const sessionCookie = /^(?:__Host-)?console=([^;]+)/;

/**
 * Signs in to the console through a provider that shows no page. Each sign-in must lead to its own session, which must
 * still be valid at the end.
 */
export function signIns({ onFailure }: LoadReports): DomainKind {
  return {
    name: "sign-ins",
    perSecond: 2,
    create: async ({ platform }) => {
      const entries: Entries = new Map();
      let isClosed = false;
      const consoleUrl = `http://127.0.0.1:${platform.stack.ports.console}`;
      return {
        load: async () => {
          const entry = begin(entries, "console", randomUUID());
          const network = newNetwork();
          while (entry.id === null && !isClosed) {
            const outcome = await signIn(consoleUrl, network);
            if ("session" in outcome) acknowledge(entry, outcome.session);
            else {
              entry.retries += 1;
              onFailure(outcome.failure);
              await delay(1_000);
            }
          }
        },
        reconcile: async () => {
          const sessions = new Set<string>();
          for (const entry of entries.values()) {
            if (entry.id === null) continue;
            const response = await fetch(consoleUrl, {
              redirect: "manual",
              headers: { cookie: `console=${entry.id}` },
            });
            if (response.status === 200) entry.storedId = entry.id;
            entry.isDoubled = sessions.has(entry.id);
            sessions.add(entry.id);
          }
          return verdictOn("sign-ins", entries, ["each session opens the console"]);
        },
        // Unfinished sign-ins must not keep the process alive.
        close: () => {
          isClosed = true;
        },
      };
    },
  };
}

/** Returns an address in a separate network, because the console limits the requests of each network without a session. */
const newNetwork = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** Performs one sign-in like a browser, through a proxy that forwards the browser's address. */
async function signIn(consoleUrl: string, network: string): Promise<{ session: string } | { failure: string }> {
  const cookies = new Map<string, string>();
  let url = `${consoleUrl}/sign-in?to=/`;
  try {
    for (let hop = 0; hop < hopsMax; hop += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, { redirect: "manual", headers: { cookie, "x-forwarded-for": network } });
      await response.body?.cancel();
      for (const line of response.headers.getSetCookie()) {
        const session = sessionCookie.exec(line)?.[1];
        if (session !== undefined && response.status === 303) return { session };
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null) return { failure: `${response.status} of ${new URL(url).pathname}` };
      url = new URL(location, url).href;
    }
    return { failure: "too many redirects" };
  } catch (error) {
    return { failure: (error as { code?: string }).code ?? "broken" };
  }
}
