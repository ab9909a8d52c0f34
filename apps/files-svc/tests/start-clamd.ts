import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOnFreePort, startTestProcess, type TestProcess } from "@platform/test-kit/test-process";
import { createClamdScanner } from "../src/content/clamd.ts";

/**
 * The test file that every scanner detects (eicar.org). It is put together here, so that scanners do not detect this
 * source file.
 */
export const eicar = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$", "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("");
/** A pattern that only our own signature database contains. */
export const ownPattern = "THIS-PATTERN-IS-MALWARE-FOR-THE-TESTS";

export type TestClamd = { readonly url: string; kill(): Promise<void>; start(): Promise<void>; close(): Promise<void> };

/** Starts a clamd for the test, with two signatures, on a free port of 127.0.0.1. */
export function startClamd(limits: Record<string, string> = {}): Promise<TestClamd> {
  return startOnFreePort((port) => startServer(port, limits));
}

async function startServer(port: number, limits: Record<string, string>): Promise<TestClamd> {
  const folder = await mkdtemp(join(tmpdir(), "clamd-"));
  const url = `tcp://127.0.0.1:${port}`;
  await writeFile(join(folder, "own.hdb"), "44d88612fea8a8f36de82e1278abb02f:68:Eicar-Test-Signature\n");
  await writeFile(join(folder, "own.ndb"), `Test.OwnPattern:0:*:${Buffer.from(ownPattern).toString("hex")}\n`);
  const settings = {
    DatabaseDirectory: folder,
    TCPSocket: String(port),
    TCPAddr: "127.0.0.1",
    Foreground: "yes",
    StreamMaxLength: "1100M",
    MaxScanSize: "1100M",
    MaxFileSize: "1100M",
    AlertExceedsMax: "yes",
    ...limits,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  await writeFile(join(folder, "clamd.conf"), `${lines.join("\n")}\n`);
  let server: TestProcess | null = null;
  const start = async (): Promise<void> => {
    server = startTestProcess("clamd", ["--foreground", "-c", join(folder, "clamd.conf")]);
    const scanner = createClamdScanner(url);
    await server.until(async () => (await scanner.version()) !== "", { what: "clamd answers" });
  };
  const kill = async (): Promise<void> => {
    await server?.end();
    server = null;
  };
  const close = async (): Promise<void> => {
    await kill();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return { url, kill, start, close };
}
