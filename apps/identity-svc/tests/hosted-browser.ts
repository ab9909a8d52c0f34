import { randomUUID } from "node:crypto";
import type { MadeTransaction } from "./migration-steps.ts";
import { returnUri } from "./migration-steps.ts";
import { callAs, type TestIdentity } from "./start-identity.ts";

export const pages = "/api/v1/identity-migration";

/** The page that a browser shows after a request and its redirects. */
export type Shown = {
  readonly status: number;
  /** The path on our host, or the whole URL on another host. */
  readonly at: string;
  readonly html: string;
  readonly headers: Headers;
};

/** A browser without JavaScript: cookies, forms, redirects. It stops at a redirect or a refresh to another host. */
export type HostedBrowser = {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Shown>;
  /** Posts exactly these fields. A form token is sent only if it is among them. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Shown>;
  /** Fills in the form of the page that was shown last, and submits it. */
  submit(page: string, fields?: Record<string, string>): Promise<Shown>;
};

const redirectsMax = 10;

/** @param source address from which the requests seem to come */
export function openBrowser(identity: TestIdentity, source = "198.51.100.7"): HostedBrowser {
  const cookies = new Map<string, string>();
  let formToken = "";
  let account = "";

  const request = async (method: string, path: string, init: RequestInit): Promise<Shown> => {
    let at = path;
    let next: RequestInit = { ...init, method };
    for (let hop = 0; hop < redirectsMax; hop += 1) {
      const response = await fetch(identity.pagesUrl + at, {
        ...next,
        redirect: "manual",
        headers: {
          accept: "text/html,application/xhtml+xml,*/*;q=0.8",
          "x-forwarded-for": source,
          "x-correlation-id": randomUUID(),
          ...(cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
          ...(next.headers as Record<string, string>),
        },
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ""] = line.split(";");
        const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
        if (value === "") cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null) {
        const html = await response.text();
        formToken = /name="form_token" value="([0-9a-f]{64})"/.exec(html)?.[1] ?? "";
        account = /name="account" value="([0-9a-f-]{36})"/.exec(html)?.[1] ?? "";
        const refresh = /<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(html)?.[1];
        const leadsTo = refresh?.replaceAll("&amp;", "&") ?? at;
        return { status: response.status, at: leadsTo, html, headers: response.headers };
      }
      await response.arrayBuffer();
      if (!location.startsWith("/"))
        return { status: response.status, at: location, html: "", headers: response.headers };
      at = location;
      next = { method: "GET", headers: {} };
    }
    throw new Error(`more than ${redirectsMax} redirects from ${path}`);
  };
  const post: HostedBrowser["post"] = (path, fields, headers = {}) =>
    request("POST", path, {
      body: new URLSearchParams(fields),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  return {
    cookies,
    get: (path, headers = {}) => request("GET", path, { headers }),
    post,
    submit: (page, fields = {}) =>
      post(`${pages}/${page}`, { form_token: formToken, ...(account === "" ? {} : { account }), ...fields }),
  };
}

/** Creates a continuation as a project backend does. */
export async function makeContinuation(
  identity: TestIdentity,
  transaction: MadeTransaction,
  options: { returnUri?: string; state?: string; key?: string } = {},
): Promise<{ continuation_id: string; continuation_token: string }> {
  const reply = await identity.migration.createHostedContinuation(
    {
      transactionId: transaction.id,
      flowToken: transaction.flowToken,
      returnUri: options.returnUri ?? returnUri,
      state: options.state ?? "the-state",
    },
    callAs(transaction.clientId, options.key ?? randomUUID()),
  );
  return { continuation_id: reply.id, continuation_token: reply.continuationToken };
}

/** Posts a new continuation of a transaction, which opens the first page in the browser. */
export async function begin(
  identity: TestIdentity,
  browser: HostedBrowser,
  transaction: MadeTransaction,
): Promise<Shown> {
  return browser.post(`${pages}/continue`, await makeContinuation(identity, transaction));
}
