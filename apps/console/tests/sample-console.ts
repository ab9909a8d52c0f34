import { once } from "node:events";
import { addressVariables } from "@platform/contracts/service-addresses";
import { serviceNames } from "@platform/contracts/services";
import { createLogger } from "@platform/kit/process/telemetry";
import { connectRedis } from "@platform/quota/connect-redis";
import { freePort } from "@platform/test-kit/free-port";
import { startTestRedis } from "@platform/test-kit/redis";
import { sampleClientId } from "@platform/test-kit/sample-message";
import { serveSamples } from "@platform/test-kit/sample-services";
import { readConfig } from "../src/config.ts";
import { createConsole } from "../src/create-console.ts";
import { createSessionStore } from "../src/redis/sessions.ts";
import { unescaped } from "./readable-page.ts";

/** The token that forms contain. */
export const csrf = "c".repeat(64);

/** Query parameters that the addresses of sample pages need. */
export const query = `?client=${sampleClientId}&campaign=${sampleClientId}&operation=${sampleClientId}&key=key&channel=email&purpose=news&kind=kind-1&resource=resource-1&q=${sampleClientId}`;

/** Paths of resources that have their own ids and are found in the rows of a list. */
const listed =
  /^\/(migrations|credentials|events\/consumers|campaigns\/(ad-servers|keys)|endpoints\/suppressions|sessions\/(operators|members))\//;
const listedId = sampleClientId.replace(/.{2}$/, "10");

/** Returns the address of a page with a sample's ids. */
export const addressOf = (path: string): string =>
  `${path.replace(":id", listed.test(path) ? listedId : sampleClientId)}${query}`;

/** Starts the console as root sees it. The services respond with sample replies. */
export async function startSampleConsole() {
  const [samples, redisServer, port, probePort] = await Promise.all([
    serveSamples(),
    startTestRedis(),
    freePort(),
    freePort(),
  ]);
  const baseUrl = `http://127.0.0.1:${port}`;
  const config = readConfig({
    HTTP_PORT: `${port}`,
    PROBE_PORT: `${probePort}`,
    CONSOLE_BASE_URL: baseUrl,
    REDIS_URL: redisServer.url,
    // No process listens at this address, so every component is down.
    GATEWAY_URL: "http://127.0.0.1:9",
    ...addressVariables("GRPC", serviceNames, () => samples.address),
  });
  const served = await createConsole(config, { logger: createLogger("console", "silent") });
  const redis = connectRedis(redisServer.url, () => {});
  await once(redis, "ready");
  const session = {
    subject: "root",
    name: "Root",
    roles: ["root"],
    operatorToken: "sample",
    idToken: "",
    csrf,
  } as const;
  const id = await createSessionStore(redis, 3_600_000).open({ ...session, endsAtMs: Date.now() + 3_600_000 });
  return {
    samples,
    /** Opens a page, or sends a form to it. The text of a redirect is its address. */
    ask: async (
      path: string,
      form?: Readonly<Record<string, string>>,
    ): Promise<{ readonly status: number; readonly text: string; readonly policy: string }> => {
      const body = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
      const headers = { cookie: `console=${id}` };
      const response = await fetch(new URL(path, baseUrl), { redirect: "manual", headers, ...body });
      const type = response.headers.get("content-type") ?? "";
      const text = await response.text();
      return {
        status: response.status,
        policy: response.headers.get("content-security-policy") ?? "",
        text: response.headers.get("location") ?? (type.includes("html") ? text : `${type}\n${text}`),
      };
    },
    close: async (): Promise<void> => {
      served.stopServing();
      await served.close();
      redis.disconnect();
      await Promise.all([samples.close(), redisServer.close()]);
    },
  };
}

/** Returns the controls of a page's form as a browser would send them if nothing is changed. */
export function untouchedForm(html: string): Record<string, string> {
  const [, form = ""] = /<form class="act[^>]*>(.*?)<\/form>/s.exec(html) ?? [];
  const attribute = (attributes: string, name: string): string =>
    unescaped(new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
  const chosen = [...form.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)].map(([, select = "", options = ""]) => {
    const offered = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, option = ""]) => option);
    const option = offered.find((each) => / selected/.test(each)) ?? offered[0] ?? "";
    return [attribute(select, "name"), attribute(option, "value")];
  });
  const typed = [...form.matchAll(/<input\b([^>]*)>/g)]
    .map(([, input = ""]) => input)
    .filter((input) => attribute(input, "type") !== "checkbox" || / checked/.test(input))
    .map((input) => [attribute(input, "name"), attribute(input, "value")]);
  const long = [...form.matchAll(/<textarea\b([^>]*)>\n?(.*?)<\/textarea>/gs)].map(([, area = "", text = ""]) => [
    attribute(area, "name"),
    unescaped(text),
  ]);
  return Object.fromEntries([...chosen, ...typed, ...long]);
}
