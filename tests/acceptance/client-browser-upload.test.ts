import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ClientRequest, createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, normalize } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient, PlatformError } from "@platform/client";
import type { UploadRequest } from "@platform/client/browser";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import { acceptanceStack, ctl, newClient, type TestClient } from "./stack.ts";

const { baseUrl } = acceptanceStack;
const packageFolder = dirname(dirname(fileURLToPath(import.meta.resolve("@platform/client/browser"))));
/** The only dependency of the client in a browser, which a bundler would resolve. */
const hashesFolder = fileURLToPath(new URL("../../node_modules/@noble/hashes/esm", import.meta.url));

/**
 * In normal runs the file is large enough for several progress reports. At night it has the size of a real upload, and
 * the slow line needs longer for it than any time limit of a whole request.
 */
const nightMebibytes = Number(process.env.UPLOAD_MEBIBYTES ?? 0);
const largeKibibytes = (nightMebibytes || 8) * 1024;
const slow = nightMebibytes > 0 ? { kibibytes: 6 * 1024, stallMs: 30_000 } : { kibibytes: 1024, stallMs: 2_000 };

let browser: Browser;
/**
 * The origin of the page. It serves the client, requests grants from the platform, and is a proxy in front of the
 * platform that can drop responses.
 */
let site: Server;
let proxy: Server;
let siteUrl: string;
let proxyUrl: string;
let project: TestClient;
let answersToLose = 0;
let bytesPerSecond: number | null = null;
const asked: string[] = [];

const page = `<!doctype html><title>Upload</title><script type="importmap">
{"imports":{"@noble/hashes/crypto":"/noble/crypto.js","@noble/hashes/":"/noble/"}}</script>`;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  browser = await launchBrowser();
  project = await newClient();
  const platform = createClient({ baseUrl, credential: project.credential });
  const answer = async (path: string, body: string): Promise<unknown> => {
    asked.push(path);
    if (path === "/grant") {
      return (await platform.call("files.createUploadGrant", { body: JSON.parse(body) as UploadRequest })).data;
    }
    const params = { fileObjectId: path.slice("/complete/".length) };
    for (let tries = 1; ; tries += 1) {
      try {
        return (await platform.call("files.completeFileObject", { params })).data;
      } catch (error) {
        if (error instanceof PlatformError && error.code === "file_object_not_uploaded") return null;
        // The operation is safe to repeat, and a busy machine may need the repeat.
        if (!(error instanceof PlatformError) || !error.retryable || tries === 10) throw error;
      }
    }
  };
  site = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://site").pathname);
    if (request.method === "POST") {
      let body = "";
      request.on("data", (text) => {
        body += String(text);
      });
      request.on("end", () => {
        answer(path, body).then(
          (answered) => response.end(JSON.stringify(answered)),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
      });
      return;
    }
    if (!path.endsWith(".js")) return void response.writeHead(200, { "content-type": "text/html" }).end(page);
    const file = path.startsWith("/noble/") ? join(hashesFolder, path.slice(7)) : join(packageFolder, path);
    response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(file));
  });
  siteUrl = await listen(site);
  proxy = createServer((request, response) => {
    const { method = "", url = "" } = request;
    const { host: _host, ...headers } = request.headers;
    if (method === "PUT") asked.push("put");
    const forwarded = httpRequest(`${baseUrl}${url}`, { method, headers }, (answered) => {
      if (method === "PUT" && answersToLose > 0) {
        answersToLose -= 1;
        answered.resume();
        return void response.destroy();
      }
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    if (bytesPerSecond === null) request.pipe(forwarded);
    else void pipeSlowly(request, forwarded, bytesPerSecond);
    forwarded.on("error", () => response.destroy());
  });
  proxyUrl = await listen(proxy);
});
afterAll(async () => {
  await browser.close();
  for (const server of [site, proxy]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Forwards a body at the speed of a slow line. */
async function pipeSlowly(from: IncomingMessage, to: ClientRequest, pace: number): Promise<void> {
  for await (const part of from as AsyncIterable<Buffer>) {
    to.write(part);
    await delay((part.byteLength / pace) * 1_000);
  }
  to.end();
}

type Uploaded = { verdict: { status: string; fileObjectId: string } | null; progress: number[]; error: string | null };

/** Uploads a text from a page whose origin differs from the platform's. */
async function upload(platformUrl: string, text: string, { abort = false, stallMs = 30_000 } = {}): Promise<Uploaded> {
  asked.length = 0;
  const tab: Page = await browser.newPage();
  await tab.goto(siteUrl);
  const script = `(async () => {
    const { uploadFile } = await import("/browser/index.js");
    const post = async (path, body) => (await fetch(path, { method: "POST", body: JSON.stringify(body ?? {}) })).json();
    const grant = {
      baseUrl: ${JSON.stringify(platformUrl)},
      create: (request) => post("/grant", request),
      complete: (id) => post("/complete/" + id),
    };
    const progress = [];
    const controller = new AbortController();
    const onProgress = (sent, total) => {
      progress.push(sent / total);
      if (${String(abort)}) controller.abort(new Error("the person left"));
    };
    try {
      const file = new Blob([${JSON.stringify(text)}.repeat(1024)], { type: "text/plain" });
      return { verdict: await uploadFile(file, grant, { onProgress, signal: controller.signal, stallMs: ${stallMs} }), progress, error: null };
    } catch (error) {
      return { verdict: null, progress, error: error.name + ": " + error.message };
    }
  })()`;
  const uploaded = (await tab.evaluate(script)) as Uploaded;
  await tab.close();
  return uploaded;
}

const storageUsed = async (): Promise<number> => {
  const rows: { resource: string; used: number }[] = await ctl(["quotas", "show", "--client", project.id]);
  return rows.find((row) => row.resource === "storage_bytes")?.used ?? -1;
};
const textOf = (kibibytes: number): string =>
  randomBytes(kibibytes / 2 + 1)
    .toString("hex")
    .slice(0, kibibytes);

describe("uploadFile in a page of another origin", () => {
  test("uploads with progress to the end, and reports the verdict", async () => {
    const { verdict, progress, error } = await upload(baseUrl, textOf(largeKibibytes));
    expect(error).toBeNull();
    expect(verdict).toMatchObject({ status: "available" });
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(asked.filter((path) => path === "/grant")).toHaveLength(1);
  });

  test("queries the outcome of an upload whose response was lost, and stores and charges it once", async () => {
    const before = await storageUsed();
    answersToLose = 1;
    const { verdict } = await upload(proxyUrl, textOf(1024));
    expect(verdict).toMatchObject({ status: "available" });
    expect(answersToLose).toBe(0);
    // Chromium repeats a PUT by itself if a kept-alive connection ends. The platform rejects the repeat because the
    // token is consumed, and the client must not request another grant.
    expect(asked.filter((path) => path === "/grant")).toHaveLength(1);
    expect((await storageUsed()) - before).toBe(1024 * 1024);
  });

  test("sends a file once over a line on which the whole transfer takes longer than the limit without progress", async () => {
    const before = await storageUsed();
    bytesPerSecond = 150_000;
    const { verdict } = await upload(proxyUrl, textOf(slow.kibibytes), { stallMs: slow.stallMs });
    bytesPerSecond = null;
    expect(verdict).toMatchObject({ status: "available" });
    expect(asked.filter((path) => path === "put")).toHaveLength(1);
    expect((await storageUsed()) - before).toBe(slow.kibibytes * 1024);
  });

  test("reports why the inspection rejected the file", async () => {
    const { verdict } = await upload(baseUrl, "<script>alert(1)</script>");
    expect(verdict).toMatchObject({ status: "rejected", rejectionReason: "content_type_mismatch" });
  });

  test("ends with the page's own reason when the page aborts", async () => {
    const { error } = await upload(baseUrl, textOf(8 * 1024), { abort: true });
    expect(error).toBe("Error: the person left");
  });
});

describe("a page of another origin", () => {
  test("reads a part of a download, its headers, and a refusal", async () => {
    const { verdict } = await upload(baseUrl, "part");
    const platform = createClient({ baseUrl, credential: project.credential });
    const params = { fileObjectId: verdict?.fileObjectId ?? "" };
    const { data } = await platform.call("files.createDownloadGrant", { params });
    const tab = await browser.newPage();
    await tab.goto(siteUrl);
    const read = await tab.evaluate(async (url: string) => {
      const answer = await fetch(url, { headers: { range: "bytes=0-3", "if-range": '"x"' } });
      const plain = await fetch(url, { headers: { range: "bytes=0-3" } });
      const missing = await fetch(`${url.slice(0, -1)}${url.endsWith("0") ? "1" : "0"}`);
      const { error } = (await missing.json()) as { error: { code: string } };
      return [answer.status, plain.status, await plain.text(), plain.headers.get("content-range"), error.code];
    }, data.download_url);
    expect(read).toEqual([200, 206, "part", "bytes 0-3/4096", "download_not_found"]);
    await tab.close();
  });
});
