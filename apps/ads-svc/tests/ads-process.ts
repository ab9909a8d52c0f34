import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { type AdsClients, adsCall, adsClients } from "./ads-fixture.ts";

/** An ads-svc in a process of its own, which a test may kill. */
export type AdsProcess = AdsClients & {
  /** SIGKILL: no handler runs, nothing is finished. */
  kill(): Promise<void>;
};

const entryPoint = join(import.meta.dirname, "..", "src", "start-server.ts");

/** Starts an ads-svc process and waits until it answers. */
export async function spawnAdsServer(env: Record<string, string>): Promise<AdsProcess> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [entryPoint], {
    env: { PATH: process.env.PATH, ...env, GRPC_PORT: `${port}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  const clients = adsClients(port, env.OPERATOR_TOKEN ?? "");
  await eventually(
    async () => (await clients.campaigns.listCampaigns({}, adsCall(Date.now() + 1_000))).campaigns.length >= 0,
    { timeoutMs: 30_000, what: "ads-svc answers" },
  );
  return {
    ...clients,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
      clients.close();
    },
  };
}
