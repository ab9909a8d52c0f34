import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { acceptanceStack, type TestClient } from "./stack.ts";

export const password = "correct horse battery staple";

/** A separate project. It has a Project Client and a website, whose pages post continuations and to which browsers return. */
export type ProjectSite = {
  readonly client: TestClient;
  readonly url: string;
  readonly returnUri: string;
  /** Queries of the browsers' returns to the website, oldest first. */
  readonly returns: URLSearchParams[];
  /**
   * Serves a page on the website that posts this continuation when its button is pressed. Resolves to the address of
   * the page.
   */
  offer(continuation: { id: string; continuation_token: string }): string;
  close(): Promise<void>;
};

/** @param leadsTo address to which the website redirects a returned browser, if any */
export async function openProjectSite(leadsTo: string | null = null): Promise<ProjectSite> {
  const offers = new Map<string, string>();
  const returns: URLSearchParams[] = [];
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (url.pathname === "/linked") {
      returns.push(url.searchParams);
      if (leadsTo !== null) response.writeHead(302, { location: leadsTo });
    }
    response.end(offers.get(url.pathname) ?? "<!doctype html><title>Project</title><h1>Back at the project</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const returnUri = `${url}/linked`;
  return {
    client: await acceptanceStack.newClient({ returnUris: [returnUri] }),
    url,
    returnUri,
    returns,
    offer: ({ id, continuation_token }) => {
      const path = `/${randomUUID()}`;
      offers.set(
        path,
        `<!doctype html><title>Project</title><form method="post" action="${acceptanceStack.baseUrl}/api/v1/identity-migration/continue">
<input type="hidden" name="continuation_id" value="${id}"><input type="hidden" name="continuation_token" value="${continuation_token}">
<button>Link my account</button></form>`,
      );
      return url + path;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type Started = {
  readonly id: string;
  readonly email: string;
  readonly flowToken: string;
  readonly continuation: { id: string; continuation_token: string };
  readonly state: string;
};

/**
 * Does what a project backend does before it sends a person to the hosted pages: it creates a transaction and a continuation.
 */
export async function startMigration(
  site: ProjectSite,
  options: { email?: string; locale?: string } = {},
): Promise<Started> {
  const { api } = acceptanceStack;
  const { credential, id: clientId } = site.client;
  const email = options.email ?? `${randomUUID()}@example.com`;
  const transaction = await api("POST", "/identity-migration-transactions", {
    credential,
    body: {
      project_client_id: clientId,
      legacy_subject: `legacy-${randomUUID()}`,
      email,
      locale: options.locale ?? "en",
      correlation_id: randomUUID(),
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
  const { id, flow_token: flowToken } = transaction.json.data;
  const state = `state-${randomUUID()}`;
  const continuation = await api("POST", `/identity-migration-transactions/${id}/hosted-continuations`, {
    credential,
    body: { flow_token: flowToken, return_uri: site.returnUri, state },
  });
  return { id, email, flowToken, continuation: continuation.json.data, state };
}

/** Returns the transaction's status as the project reads it. */
export async function readStatus(
  site: ProjectSite,
  id: string,
): Promise<{ status: string; account_id: string | null }> {
  const reply = await acceptanceStack.api("GET", `/identity-migration-transactions/${id}`, {
    credential: site.client.credential,
  });
  return reply.json.data;
}

/** Waits for the `count`-th email to an address. Returns its code and its link. */
export async function readMail(to: string, count = 1): Promise<{ code: string; link: string; text: string }> {
  const message = await eventually(
    async () => {
      const url = `${acceptanceStack.sinkUrl}/messages?channel=email&to=${encodeURIComponent(to)}`;
      const messages = (await (await fetch(url)).json()) as { parsed: { text: string } }[];
      return messages[count - 1];
    },
    { what: `mail ${count} to ${to}` },
  );
  const { text } = message.parsed;
  return {
    text,
    code: /\b\d{6}\b/.exec(text)?.[0] ?? "",
    link: /https?:\/\/\S+\/verify-email\/[0-9a-f]{64}/.exec(text)?.[0] ?? "",
  };
}

/** Opens a browser window without JavaScript at the first hosted page. */
export async function arrive(browser: Browser, site: ProjectSite, started: Started): Promise<PersonsWindow> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const visited: string[] = [];
  page.on("request", (request) => visited.push(request.url()));
  await page.goto(site.offer(started.continuation));
  await page.getByRole("button", { name: "Link my account" }).click();
  return { context, page, visited };
}

export type PersonsWindow = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every address that the window has requested. */
  readonly visited: readonly string[];
};

export async function register({ page }: PersonsWindow): Promise<void> {
  await page.getByRole("link", { name: "Register" }).click();
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Register" }).click();
}

export async function signIn({ page }: PersonsWindow, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export async function enterCode({ page }: PersonsWindow, code: string): Promise<void> {
  await page.getByLabel("Six-digit code").fill(code);
  await page.getByRole("button", { name: "Confirm the address" }).click();
}
