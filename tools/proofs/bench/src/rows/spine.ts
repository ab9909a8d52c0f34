import { startServer } from "../processes.ts";
import { type Row, ratioCheck } from "../row.ts";
import { eventBody as body, driverInsert, httpContender, publishing } from "./contenders.ts";

const noopBody = JSON.stringify({ money: { currency: "JPY", minor: 1200 }, order: { lines: [1, 2, 3] } });

/**
 * Measures the cost of the gateway step by step, starting from a bare server, and the share of the store's speed that
 * remains.
 */
export const spineRow: Row = {
  id: "SPINE",
  title: "What each layer costs, 64 connections",
  run: async (bench) => {
    const platform = await bench.platform();
    const { port, credential } = platform;
    const echo = await startServer("../peers/node-echo.mjs");
    const express = await startServer("../peers/express-echo.mjs");
    const grpcEcho = await startServer("../peers/grpc-echo.mjs", { place: "stores" });
    const env = { BACKEND: `127.0.0.1:${grpcEcho.port}` };
    const expressGrpc = await startServer("../peers/express-grpc.mjs", { env });
    for (const server of [echo, express, grpcEcho, expressGrpc]) bench.defer(server.stop);
    const noop = { port, path: "/api/v1/noop", body: noopBody, hasKey: true };
    const measured = await bench.measure([
      httpContender(bench, "(a) node:http echo", "baseline", { port: echo.port, body }),
      httpContender(bench, "(b) Express echo", "peer", { port: express.port, body }),
      httpContender(bench, "(c) Express + one grpc-js hop", "peer", { port: expressGrpc.port, body }),
      httpContender(bench, "(d) GET /project-client", "ours", { port, path: "/api/v1/project-client", credential }),
      httpContender(bench, "(e) POST /noop", "ours", noop),
      httpContender(bench, "(f) POST /domain-events", "ours", publishing(platform, port)),
      driverInsert(bench, platform, "(g) driver insertOne"),
    ]);
    return {
      measured,
      checks: [
        ratioCheck(measured, ["(d) GET /project-client", "(c) Express + one grpc-js hop"], { atLeast: 0.6 }),
        ratioCheck(measured, ["(e) POST /noop", "(b) Express echo"]),
        ratioCheck(measured, ["(f) POST /domain-events", "(c) Express + one grpc-js hop"], { atLeast: 0.4 }),
      ],
      notes: [],
    };
  },
};
