import { randomUUID } from "node:crypto";
import type { Platform } from "../platform.ts";
import { startServer } from "../processes.ts";
import { type Row, ratioCheck } from "../row.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const connections = 64;
const ours = "replay of POST /domain-events";
const echo = "Express echo";

/** A repeated Idempotency-Key: answered from Redis, byte for byte, and nothing behind is asked. */
export const replayRow: Row = {
  id: "B5",
  title: "Replay of a stored outcome, 64 connections",
  run: async (bench) => {
    const platform = await bench.platform();
    const express = await startServer("../peers/express-echo.mjs");
    bench.defer(express.stop);
    const key = randomUUID();
    const first = await publish(platform, key);
    const again = await publish(platform, key);
    const before = await callsOfEvents(platform);
    const measured = await bench.measure([
      httpContender(bench, {
        name: ours,
        role: "ours",
        port: platform.port,
        connections,
        path: "/api/v1/domain-events",
        headers: authorized(platform),
        body: eventBody,
        idempotencyKey: { fixed: key },
      }),
      httpContender(bench, { name: echo, role: "peer", port: express.port, connections, body: eventBody }),
    ]);
    const calls = (await callsOfEvents(platform)) - before;
    return {
      measured,
      checks: [
        ratioCheck(measured, [ours, echo], 0.6),
        { text: "byte-identical to the first answer", value: String(first === again), met: first === again },
        { text: "calls of events-svc meanwhile = 0", value: String(calls), met: calls === 0 },
      ],
      notes: [],
    };
  },
};

async function publish(platform: Platform, key: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${platform.port}/api/v1/domain-events`, {
    method: "POST",
    headers: { ...authorized(platform), "content-type": "application/json", "idempotency-key": key },
    body: eventBody,
  });
  return response.text();
}

/** How often a Domain Event was published at events-svc, by its own count. */
async function callsOfEvents({ stack }: Platform): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${stack.ports.events.serverProbe}/metrics`)).text();
  const counts = [...text.matchAll(/^platform_grpc_server_duration_seconds_count\{.*PublishDomainEvent.*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
