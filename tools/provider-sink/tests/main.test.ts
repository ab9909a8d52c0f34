import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

async function start(...more: string[]) {
  const child = spawn(process.execPath, [main, "--http-port", "0", "--smtp-port", "0", ...more], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { child, addresses: JSON.parse(line) };
}

it("prints every address on one line, and exits with 0 on SIGTERM despite a hanging response and a waiting reader", async () => {
  const { child, addresses } = await start();
  expect(Object.keys(addresses).sort()).toEqual([
    "apnsBaseUrl",
    "apnsTlsBaseUrl",
    "caCertificatePem",
    "fcmBaseUrl",
    "fcmTokenUrl",
    "httpUrl",
    "lineBaseUrl",
    "smtpUrl",
    "smtpsUrl",
    "webPushBaseUrl",
  ]);
  const fault = JSON.stringify({ channel: "line", delay_ms: 600_000 });
  await fetch(`${addresses.httpUrl}/faults`, { method: "POST", body: fault });
  const open = [
    fetch(`${addresses.lineBaseUrl}/v2/bot/message/push`, { method: "POST", body: "{}" }),
    fetch(`${addresses.httpUrl}/messages?to=nobody&wait_ms=120000`).then((response) => response.text()),
  ];
  const settled = Promise.allSettled(open);
  await fetch(`${addresses.httpUrl}/messages?channel=line&wait_ms=60000`);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  await settled;
});

it("keeps its certificate in --dir across starts", async () => {
  const directory = await mkdtemp(join(tmpdir(), "provider-sink-"));
  const certificates = [];
  for (let start_ = 0; start_ < 2; start_ += 1) {
    const { child, addresses } = await start("--dir", directory);
    certificates.push(addresses.caCertificatePem);
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  expect(certificates[1]).toBe(certificates[0]);
  expect(await readFile(join(directory, "provider-sink-ca.pem"), "utf8")).toBe(certificates[0]);
  await rm(directory, { recursive: true });
});

it("refuses an invalid port", async () => {
  const child = spawn(process.execPath, [main, "--http-port", "web"], { stdio: ["ignore", "ignore", "pipe"] });
  const [[code], errors] = await Promise.all([once(child, "exit"), child.stderr.toArray()]);
  expect(code).toBe(1);
  expect(Buffer.concat(errors).toString()).toContain("--http-port must be a whole number");
});
