import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createClamdScanner, readVerdict } from "./clamd.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Scans a small file with a server that the test controls. */
async function scanBy(serve: (socket: Socket, text: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), "clamd-"));
  const path = join(folder, "file");
  writeFileSync(path, "some bytes");
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk) => serve(socket, chunk.toString()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const scanner = createClamdScanner(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, 30);
  return scanner.scanFile(path, new AbortController().signal);
}
const isScan = (text: string): boolean => text.startsWith("zINSTREAM");
const isVersion = (text: string): boolean => text.startsWith("zVERSION");

test("ends a scan if clamd keeps the connection open but does not respond", async () => {
  await expect(scanBy(() => {})).rejects.toThrow();
});

test("ends a scan if clamd stops in the middle of its response", async () => {
  await expect(scanBy((socket, text) => isScan(text) && socket.write("stream: "))).rejects.toThrow();
});

test("waits for a long scan while clamd still responds to pings", async () => {
  let scan: Socket | null = null;
  let questions = 0;
  const verdict = await scanBy((socket, text) => {
    if (isScan(text)) scan = socket;
    if (!isVersion(text)) return;
    questions += 1;
    socket.write("ClamAV 1.0\0");
    if (questions === 10) scan?.write("stream: OK\0");
  });
  expect(verdict).toEqual({ isInfected: false, signature: null });
});

test("accepts only the exact response OK as clean", () => {
  expect(readVerdict("stream: OK")).toEqual({ isInfected: false, signature: null });
});

test("reports the signature that clamd has found", () => {
  expect(readVerdict("stream: Eicar-Test-Signature FOUND")).toEqual({
    isInfected: true,
    signature: "Eicar-Test-Signature",
  });
});

test.each([
  ["INSTREAM size limit exceeded. ERROR"],
  ["stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND"],
  ["stream: OK and more"],
  [""],
])("does not accept %s as a verdict", (reply) => {
  expect(() => readVerdict(reply)).toThrow("no verdict");
});
