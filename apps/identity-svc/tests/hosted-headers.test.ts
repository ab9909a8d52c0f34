import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, makeContinuation, openBrowser, pages } from "./hosted-browser.ts";
import { makeTransaction, password } from "./migration-steps.ts";
import { startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
let overHttps: TestIdentity;
beforeAll(async () => {
  [identity, overHttps] = await Promise.all([
    startIdentity(),
    startIdentity({ PUBLIC_BASE_URL: "https://platform.example" }),
  ]);
});
afterAll(() => Promise.all([identity.close(), overHttps.close()]));

describe("the headers of every page", () => {
  test("forbids caching, framing and referrers on every page, and forms to other hosts", async () => {
    const browser = openBrowser(identity);
    const pagesSeen = [
      await begin(identity, browser, await makeTransaction(identity)),
      await browser.get(`${pages}/register`),
      await browser.submit("register", { password }),
    ];
    for (const { headers, html } of pagesSeen) {
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
      );
      expect(headers.get("x-powered-by")).toBeNull();
      expect(html).not.toMatch(/style="|\son[a-z]+=/i);
      // The page has one script from its own host, and no inline script.
      expect(html.match(/<script/gi)).toHaveLength(1);
      expect(html).toMatch(
        /<script src="\/api\/v1\/identity-migration\/assets\/[0-9a-f]{16}\/page\.js" defer><\/script>/,
      );
      expect(html).not.toMatch(/(?:src|href|action)="(?:https?:)?\/\//);
    }
  });

  test("sends the same headers with an error page", async () => {
    const { headers } = await openBrowser(identity).get(`${pages}/sign-in`);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toContain("form-action 'self';");
  });
});

describe("cookies", () => {
  const setCookies = async (to: TestIdentity): Promise<string[]> => {
    const continuation = await makeContinuation(to, await makeTransaction(to));
    const response = await fetch(`${to.pagesUrl}${pages}/continue`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(continuation),
    });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`${pages}/sign-in`);
    return response.headers.getSetCookie();
  };

  test("binds cookies to the host by the __Host- prefix over https", async () => {
    const [cookie] = await setCookies(overHttps);
    expect(cookie).toMatch(
      /^__Host-platform_continuation=[0-9a-f-]{36}\.[0-9a-f]{64}; Max-Age=3600; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  test("sets HttpOnly and Lax cookies over http on loopback", async () => {
    const [cookie] = await setCookies(identity);
    expect(cookie).toMatch(/^platform_continuation=.*; Path=\/; .*HttpOnly; SameSite=Lax$/);
  });
});

test("returns a page, not a stack trace, for oversized bodies and invalid forms", async () => {
  const browser = openBrowser(identity);
  const large = await browser.post(`${pages}/continue`, { continuation_token: "0".repeat(20_000) });
  expect(large.status).toBe(413);
  const json = await browser.post(`${pages}/continue`, {}, { "content-type": "application/json" });
  expect(json.status).toBe(422);
  const twice = await fetch(`${identity.pagesUrl}${pages}/continue`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
    body: "continuation_id=a&continuation_id=b&__proto__=x&constructor[prototype]=y",
  });
  expect(twice.status).toBe(422);
  expect(await twice.text()).not.toMatch(/node_modules|\.ts:\d+/);
});
