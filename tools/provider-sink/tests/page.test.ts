import { AxeBuilder } from "@axe-core/playwright";
import nodemailer from "nodemailer";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type ProviderSink, startProviderSink } from "../src/index.ts";

let sink: ProviderSink;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  sink = await startProviderSink();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});
beforeEach(async () => {
  sink.clear();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  await page.goto(sink.httpUrl);
});
afterAll(async () => {
  await browser.close();
  await sink.close();
});

async function sendMail(subject: string, html: string): Promise<void> {
  const transport = nodemailer.createTransport({
    host: "127.0.0.1",
    port: Number(new URL(sink.smtpUrl).port),
    tls: { ca: sink.caCertificatePem },
  });
  await transport.sendMail({ from: "a@project.example", to: "ann@x.example", subject, html, text: "plain" });
}

it("shows an email that arrives while the page is open, rendered", async () => {
  await sendMail("Your code", "<h1>Your code is 123456</h1>");
  await page.getByRole("link", { name: /Your code/ }).click();
  const rendered = page.frameLocator("iframe").getByRole("heading", { name: "Your code is 123456" });
  await rendered.waitFor();
  await page.getByRole("link", { name: "Source" }).click();
  expect(await page.locator("pre").textContent()).toContain("MIME-Version: 1.0");
});

it("runs no script of an email, loads no resource of it, and shows its subject as text", async () => {
  const outside: string[] = [];
  page.on("requestfinished", (request) => {
    if (!request.url().startsWith(sink.httpUrl)) outside.push(request.url());
  });
  const hostile = `<p id="end">end</p><script>top.document.title = "taken"</script>
    <img src="https://tracker.example/pixel.png" onerror="top.document.title = 'taken'">
    <meta http-equiv="refresh" content="0; url=https://tracker.example/">
    <form action="https://tracker.example/"><button>go</button></form>`;
  await sendMail('<img src=x onerror="document.title=1">', hostile);
  await page.getByRole("link", { name: /<img src=x/ }).click();
  await page.frameLocator("iframe").locator("#end").waitFor();
  expect(await page.title()).toBe("Provider sink");
  expect(outside).toEqual([]);
});

it("shows a push as a card with its data, and marks a refused one", async () => {
  sink.setFault({ channel: "fcm", kind: "unregistered" });
  const message = { token: "t", notification: { title: "Shipped", body: "On its way" }, data: { order: "4711" } };
  await fetch(`${sink.fcmBaseUrl}/v1/projects/p/messages:send`, { method: "POST", body: JSON.stringify({ message }) });
  await page.getByRole("link", { name: /Shipped/ }).click();
  const detail = page.getByRole("article");
  await detail.getByText("On its way", { exact: true }).waitFor();
  await detail.getByText("4711", { exact: true }).waitFor();
  await detail.getByText("Refused: answered 404.").waitFor();
});

it.each(["null", "[]", "7", '{"message":null}', '{"message":{"data":3}}', "not json"])(
  "shows a body of %s",
  async (body) => {
    await fetch(`${sink.fcmBaseUrl}/v1/projects/p/messages:send`, { method: "POST", body });
    await fetch(`${sink.lineBaseUrl}/v2/bot/message/push`, { method: "POST", body });
    await page.getByRole("link", { name: /FCM · / }).click();
    await page.getByText("Refused: answered 401.").waitFor();
    await page.getByRole("link", { name: /LINE · / }).click();
    await page.getByText("Refused: answered 401.").waitFor();
  },
);

it("shows, finds and clears messages without a script", async () => {
  await sendMail("Your code", "<h1>Your code is 123456</h1>");
  await sendMail("Your bill", "<p>Paid</p>");
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(sink.httpUrl);
  await plain.getByRole("searchbox").fill("CODE");
  await plain.getByRole("searchbox").press("Enter");
  const list = plain.getByRole("region", { name: "Messages" });
  await list.getByRole("link", { name: /Your code/ }).click();
  expect(await list.getByRole("link").count()).toBe(1);
  await plain.getByRole("link", { name: "Text" }).click();
  expect(await plain.locator("pre").textContent()).toBe("plain\n");
  await plain.getByRole("button", { name: "Clear messages" }).click();
  await plain.getByText("Nothing has arrived yet.").waitFor();
  await context.close();
});

it("has no accessibility violations according to axe, and empties the list by its button", async () => {
  await sendMail("Your code", "<h1>Your code is 123456</h1>");
  await page.getByRole("link", { name: /Your code/ }).click();
  const { violations } = await new AxeBuilder({ page }).exclude("iframe").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  await page.getByRole("button", { name: "Clear messages" }).click();
  await page.getByText("Nothing has arrived yet.").waitFor();
  expect(await sink.messages()).toEqual([]);
});
