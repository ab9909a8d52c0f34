import { createHash } from "node:crypto";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, type HostedBrowser, openBrowser, pages } from "./hosted-browser.ts";
import { freshEmail, makeAccount, makeTransaction, password } from "./migration-steps.ts";
import { startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

/** A browser on the sign-in page. Reloading it keeps the form token. */
async function onSignInPage(source: string): Promise<HostedBrowser> {
  const browser = openBrowser(identity, source);
  await begin(identity, browser, await makeTransaction(identity));
  return browser;
}

/** The page without the parts that always differ: form token, correlation id and the typed address. */
function faceOf(html: string, email: string): string {
  return html.replaceAll(/[0-9a-f]{64}/g, "<token>").replaceAll(email, "<email>");
}

describe("brute force", () => {
  test("locks an address for a source for 15 minutes after ten wrong passwords", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const browser = await onSignInPage("198.51.100.1");
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      statuses.push((await browser.submit("sign-in", { email, password: "wrong password" })).status);
    }
    expect(statuses).toEqual(Array(10).fill(422));
    const locked = await browser.submit("sign-in", { email, password });
    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(800);
    const elsewhere = await onSignInPage("198.51.100.2");
    expect((await elsewhere.submit("sign-in", { email, password })).at).toBe(`${pages}/verify-email`);
    identity.clock.advanceSeconds(15 * 60 + 1);
    expect((await browser.submit("sign-in", { email, password })).at).toBe(`${pages}/verify-email`);
  });

  test("accepts at most ten of fifty concurrent wrong passwords", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const browser = await onSignInPage("198.51.100.3");
    const shown = await Promise.all(
      Array.from({ length: 50 }, () => browser.submit("sign-in", { email, password: "wrong password" })),
    );
    expect(shown.filter(({ status }) => status === 422)).toHaveLength(10);
    expect(shown.filter(({ status }) => status === 429)).toHaveLength(40);
  });

  test("locks an unknown address like a known one", async () => {
    const email = freshEmail();
    const browser = await onSignInPage("198.51.100.4");
    for (let attempt = 0; attempt < 10; attempt += 1) await browser.submit("sign-in", { email, password });
    expect((await browser.submit("sign-in", { email, password })).status).toBe(429);
  });

  test("locks a source, or the /64 of an IPv6 address, after failures with a hundred email addresses", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const browser = await onSignInPage("2001:db8:1:2::7");
    const statuses = await Promise.all(
      Array.from(
        { length: 100 },
        async () => (await browser.submit("sign-in", { email: freshEmail(), password })).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([422]));
    const neighbour = await onSignInPage("2001:db8:1:2:ffff::1");
    expect((await neighbour.submit("sign-in", { email, password })).status).toBe(429);
    const stranger = await onSignInPage("2001:db8:1:3::7");
    expect((await stranger.submit("sign-in", { email, password })).at).toBe(`${pages}/verify-email`);
  });

  test("does not lock out others behind an untrusted proxy after one person's wrong passwords", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const browser = await onSignInPage("10.0.0.7");
    const token = browserToken(await browser.get(`${pages}/sign-in`));
    const shared = { "x-forwarded-for": "10.0.0.7", "x-platform-source-shared": "true" };
    const tryWith = (tried: string, secret: string) =>
      browser.post(`${pages}/sign-in`, { form_token: token, email: tried, password: secret }, shared);
    const statuses = await Promise.all(
      Array.from({ length: 120 }, async () => (await tryWith(freshEmail(), "wrong password")).status),
    );
    expect(new Set(statuses)).toEqual(new Set([422]));
    // The account of the attacked person remains locked.
    const victim = freshEmail();
    for (let attempt = 0; attempt < 10; attempt += 1) await tryWith(victim, "wrong password");
    expect((await tryWith(victim, password)).status).toBe(429);
    expect((await tryWith(email, password)).at).toBe(`${pages}/verify-email`);
  });

  test("does not count successful sign-ins", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const browser = await onSignInPage("198.51.100.5");
      expect((await browser.submit("sign-in", { email, password })).at).toBe(`${pages}/verify-email`);
    }
  });

  test("stores no clear-text address in counters", async () => {
    const email = freshEmail();
    const browser = await onSignInPage("198.51.100.6");
    await browser.submit("sign-in", { email, password });
    const client = await MongoClient.connect(identity.mongo.uri);
    const counters = await client.db(identity.mongo.database).collection("sign_in_failures").find().toArray();
    await client.close();
    expect(JSON.stringify(counters)).not.toContain(email);
    const subject = `address ${email} source 198.51.100.6`;
    expect(JSON.stringify(counters)).toContain(createHash("sha256").update(subject).digest("hex"));
  });
});

describe("login enumeration", () => {
  test("treats sign-ins of known and unknown addresses alike, in status, body and time over 200 attempts each", async () => {
    const known = (await makeAccount(identity, { verified: true })).email;
    const unknown = freshEmail();
    const times: Record<string, number[]> = { known: [], unknown: [] };
    const faces = new Set<string>();
    const browser = await onSignInPage("203.0.113.1");
    const token = browserToken(await browser.get(`${pages}/sign-in`));
    for (let attempt = 0; attempt < 200; attempt += 1) {
      // The two kinds alternate in changing order, so that other load affects both equally.
      const order = attempt % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const);
      await Promise.all(
        order.map(async (which) => {
          const email = which === "known" ? known : unknown;
          const headers = { "x-forwarded-for": `10.${attempt >> 6}.${attempt & 63}.${which === "known" ? 1 : 2}` };
          const fields = { form_token: token, email, password: "wrong password" };
          const started = performance.now();
          const shown = await browser.post(`${pages}/sign-in`, fields, headers);
          times[which]?.push(performance.now() - started);
          faces.add(`${shown.status} ${faceOf(shown.html, email)}`);
        }),
      );
    }
    expect(faces.size).toBe(1);
    expect(overlap(times.known ?? [], times.unknown ?? [])).toBeGreaterThan(0.25);
  }, 300_000);

  test("treats registrations of known and unknown addresses alike, in status, body and time", async () => {
    const times: Record<string, number[]> = { known: [], unknown: [] };
    const faces = new Set<string>();
    for (let attempt = 0; attempt < 40; attempt += 1) {
      for (const which of ["known", "unknown"] as const) {
        const email = freshEmail();
        if (which === "known") await makeAccount(identity, { email, verified: true });
        const browser = openBrowser(identity);
        await begin(identity, browser, await makeTransaction(identity, { email }));
        const token = browserToken(await browser.get(`${pages}/register`));
        const started = performance.now();
        const shown = await browser.post(`${pages}/register`, { form_token: token, password });
        times[which]?.push(performance.now() - started);
        faces.add(`${shown.status} ${shown.at} ${faceOf(shown.html, email)}`);
      }
    }
    expect(faces.size).toBe(1);
    expect(overlap(times.known ?? [], times.unknown ?? [])).toBeGreaterThan(0.2);
  });
});

function browserToken({ html }: { html: string }): string {
  return /name="form_token" value="([0-9a-f]{64})"/.exec(html)?.[1] ?? "";
}

/**
 * The overlap of two distributions, computed from the probability that a sample of one is smaller than a sample of the
 * other (Mann-Whitney): 1 if nothing distinguishes them, 0 if every value of one is below every value of the other. It
 * does not depend on absolute times.
 */
function overlap(a: readonly number[], b: readonly number[]): number {
  const smaller = a.reduce((sum, x) => sum + b.filter((y) => x < y).length, 0) / (a.length * b.length);
  return 1 - Math.abs(2 * smaller - 1);
}
