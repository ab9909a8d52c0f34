import { startGenerator } from "../processes.ts";
import type { Contender, Row } from "../row.ts";
import { atMostCheck } from "../row.ts";
import { authorized, httpContender } from "./http-contenders.ts";

const alone = "quiet client alone";
const flooded = "quiet client beside the flood";

/** One client's flood beside another client's few requests: the gateway holds the first to its share. */
export const floodRow: Row = {
  id: "FLOOD",
  title: "GET /project-client of one client, 2 connections, while another sends on 512",
  run: async (bench) => {
    const platform = await bench.platform();
    const other = (await platform.ctl(["clients", "create", "--name", "Quiet", "--environment", "development"])) as {
      id: string;
    };
    const { credential } = (await platform.ctl([
      ...["credentials", "issue", "--client", other.id, "--scopes", "clients:read"],
    ])) as { credential: string };
    await platform.ctl([
      ...["quotas", "set", "--client", other.id, "--resource", "api_traffic", "--limit", "1000000000"],
    ]);
    const flooder = startGenerator();
    bench.defer(flooder.stop);
    const quiet = (name: string): Contender =>
      httpContender(bench, {
        name,
        role: "ours",
        port: platform.port,
        connections: 2,
        path: "/api/v1/project-client",
        headers: { authorization: `Bearer ${credential}` },
      });
    const beside = quiet(flooded);
    const measured = await bench.measure([
      quiet(alone),
      {
        ...beside,
        run: async (durationMs) => {
          const flood = flooder.run("http", {
            port: platform.port,
            method: "GET",
            path: "/api/v1/project-client",
            headers: authorized(platform),
            body: null,
            idempotencyKey: "none",
            connections: 512,
            durationMs: durationMs + 500,
          });
          const sample = await beside.run(durationMs);
          await flood;
          return sample;
        },
      },
    ]);
    return { measured, checks: [atMostCheck(measured, [flooded, alone], 2, "p99Ms")], notes: [] };
  },
};
