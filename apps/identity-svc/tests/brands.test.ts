import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, openBrowser, pages } from "./hosted-browser.ts";
import { makeTransaction, password, readMail, refusal, returnUri } from "./migration-steps.ts";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  const own = { name: "Initech ID", colour: "#7c2d12", privacy_url: "https://initech.example/privacy" };
  identity = await startIdentity({ HOSTED_BRAND: JSON.stringify(own) });
});
afterAll(() => identity.close());

const logoUrl = "http://127.0.0.1:8080/api/v1/public-assets/0a1b/2.webp";
const brand = {
  name: "Acme & Söhne",
  logoUrl,
  colour: "#0f766e",
  termsUrl: "https://acme.example/terms",
  privacyUrl: "https://acme.example/privacy",
};

async function brandedClient(): Promise<string> {
  const projectClientId = await makeClient(identity, [returnUri]);
  await identity.brands.createBrand({ projectClientId, ...brand }, callAs(null));
  return projectClientId;
}

describe("pages and emails of a client with a brand", () => {
  test("shows the brand's name, logo, colour and links, and loads nothing from another host", async () => {
    const transaction = await makeTransaction(identity, { clientId: await brandedClient() });
    const browser = openBrowser(identity);
    const { html, headers } = await begin(identity, browser, transaction);
    expect(html).toContain("<span>Acme &amp; Söhne</span>");
    expect(html).toContain("Acme &amp; Söhne asks to link your account");
    expect(html).toContain('<img src="/api/v1/public-assets/0a1b/2.webp" alt="" height="32">');
    expect(html).toContain('<a href="https://acme.example/terms" rel="noreferrer">Terms of use</a>');
    expect(html).not.toMatch(/<(?:img|link|script)[^>]*(?:src|href)="(?!\/api\/v1\/)/);
    expect(headers.get("content-security-policy")).toContain("default-src 'self'");
    const [, sheet = ""] = /href="([^"]+\/colour\/0f766e\.css)"/.exec(html) ?? [];
    const colour = await fetch(identity.pagesUrl + sheet);
    expect([colour.headers.get("content-type"), await colour.text()]).toEqual([
      "text/css; charset=utf-8",
      ":root { --brand: #0f766e; }\n",
    ]);
    await browser.get(`${pages}/register`);
    await browser.submit("register", { password });
    const { message } = await readMail(identity, transaction.email);
    expect(message.parsed.subject).toBe("Confirm your email address for Acme & Söhne");
    expect(message.parsed.html).toContain("Initech ID");
    expect((await browser.get(`${pages}/nowhere`)).html).toContain("<span>Acme &amp; Söhne</span>");
  });

  test("shows the platform's brand if the client has none, or if there is no client", async () => {
    for (const shown of [
      await begin(identity, openBrowser(identity), await makeTransaction(identity)),
      await openBrowser(identity).get(`${pages}/account/sign-in`),
    ]) {
      expect(shown.html).toContain("<span>Initech ID</span>");
      expect(shown.html).toContain("/colour/7c2d12.css");
      expect(shown.html).toContain('<a href="https://initech.example/privacy" rel="noreferrer">Privacy policy</a>');
      expect(shown.html).not.toContain("Terms of use");
    }
  });

  test.each(["red.css", "0f766e.css;x", "0F766E.css", "%2e%2e", `${"0".repeat(7)}.css`])(
    "serves no style sheet for an invalid colour: %s",
    async (name) => {
      expect((await fetch(`${identity.pagesUrl}${pages}/assets/colour/${name}`)).status).toBe(404);
    },
  );
});

describe("operators", () => {
  test("lets operators replace, list and delete a brand", async () => {
    const projectClientId = await brandedClient();
    const other = { projectClientId, name: "Acme", termsUrl: brand.termsUrl };
    const { brand: replaced } = await identity.brands.replaceBrand(other, callAs(null));
    expect(replaced).toMatchObject({ name: "Acme", colour: "", termsUrl: brand.termsUrl, privacyUrl: "", revision: 2 });
    const { brands } = await identity.brands.listBrands({}, callAs(null));
    expect(brands[0]).toMatchObject({ projectClientId, name: "Acme" });
    await identity.brands.deleteBrand({ projectClientId }, callAs(null));
    await identity.brands.deleteBrand({ projectClientId }, callAs(null));
    expect(await refusal(identity.brands.showBrand({ projectClientId }, callAs(null)))).toBe("brand_not_found");
  });

  test("reports a conflict if somebody else has changed the brand in the meantime", async () => {
    const projectClientId = await brandedClient();
    await identity.brands.replaceBrand({ projectClientId, name: "First", revision: 1 }, callAs(null));
    const second = identity.brands.replaceBrand({ projectClientId, name: "Second", revision: 1 }, callAs(null));
    expect(await refusal(second)).toBe("revision_conflict");
    const { brand: kept } = await identity.brands.showBrand({ projectClientId }, callAs(null));
    expect(kept?.name).toBe("First");
  });

  test.each([
    ["an unreadable colour", { colour: "#ffd700" }],
    ["a link without https", { termsUrl: "http://acme.example/terms" }],
    ["a script for a link", { privacyUrl: "javascript:alert(1)" }],
    ["a logo of another host", { logoUrl: "https://acme.example/logo.png" }],
    ["an empty name", { name: " " }],
    ["a name with a line break", { name: "Acme\r\nBcc: all@example.com" }],
    ["a name of 61 characters", { name: "x".repeat(61) }],
  ])("rejects a brand with %s", async (_what, wrong) => {
    const projectClientId = await makeClient(identity);
    const create = identity.brands.createBrand({ projectClientId, ...brand, ...wrong }, callAs(null));
    expect(await refusal(create)).toBe("contract_violation");
    expect(await refusal(identity.brands.showBrand({ projectClientId }, callAs(null)))).toBe("brand_not_found");
  });

  test("rejects a second brand for a client, and a brand for a client that does not exist", async () => {
    const projectClientId = await brandedClient();
    const again = identity.brands.createBrand({ projectClientId, ...brand }, callAs(null));
    expect(await refusal(again)).toBe("contract_violation");
    const absent = { projectClientId: randomUUID() };
    expect(await refusal(identity.brands.createBrand({ ...absent, ...brand }, callAs(null)))).toBe(
      "project_client_not_found",
    );
    expect(await refusal(identity.brands.deleteBrand(absent, callAs(null)))).toBe("project_client_not_found");
  });
});
