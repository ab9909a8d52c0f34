import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { servedPort } from "@platform/test-kit/served-port";
import { type AdsClients, adsClients } from "./ads-fixture.ts";

/** An ads-svc in a process of its own, which a test may kill. */
export type AdsProcess = AdsClients & {
  /** Sends SIGKILL, after which no handler runs and nothing is finished. */
  kill(): Promise<void>;
  /** Sends SIGTERM, after which accepted work is finished first. Resolves to the exit code. */
  stop(): Promise<number | null>;
};

const entryPoint = join(import.meta.dirname, "..", "src", "start-server.ts");

/** Starts an ads-svc process on a free port and waits until it serves. */
export async function spawnAdsServer(env: Record<string, string>): Promise<AdsProcess> {
  const child: ChildProcess = spawn(process.execPath, [entryPoint], {
    env: { PATH: process.env.PATH, ...env, GRPC_PORT: "0", LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const port = await servedPort(child.stdout);
  const clients = adsClients(port, env.OPERATOR_TOKEN ?? "");
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const [code] = await exited;
    clients.close();
    return code;
  };
  return { ...clients, kill: async () => void (await end("SIGKILL")), stop: () => end("SIGTERM") };
}
