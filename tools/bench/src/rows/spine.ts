import { startServer } from "../processes.ts";
import { type Row, ratioCheck } from "../row.ts";
import { authorized, eventBody, httpContender, noopBody } from "./http-contenders.ts";

const connections = 64;

/** What the gateway costs, step by step from a bare server, and what is left of the database's own speed. */
export const spineRow: Row = {
  id: "SPINE",
  title: "What each layer costs, 64 connections",
  run: async (bench) => {
    const platform = await bench.platform();
    const echo = await startServer("../peers/node-echo.mjs");
    const express = await startServer("../peers/express-echo.mjs");
    const grpcEcho = await startServer("../peers/grpc-echo.mjs", { place: "stores" });
    const expressGrpc = await startServer("../peers/express-grpc.mjs", {
      env: { BACKEND: `127.0.0.1:${grpcEcho.port}` },
    });
    for (const server of [echo, express, grpcEcho, expressGrpc]) bench.defer(server.stop);
    const gateway = { role: "ours", port: platform.port, connections } as const;
    const headers = authorized(platform);
    const measured = await bench.measure([
      httpContender(bench, {
        name: "(a) node:http echo",
        role: "baseline",
        port: echo.port,
        connections,
        body: eventBody,
      }),
      httpContender(bench, {
        name: "(b) Express echo",
        role: "peer",
        port: express.port,
        connections,
        body: eventBody,
      }),
      httpContender(bench, {
        name: "(c) Express + one grpc-js hop",
        role: "peer",
        port: expressGrpc.port,
        connections,
        body: eventBody,
      }),
      httpContender(bench, {
        ...gateway,
        name: "(d) GET /project-client",
        path: "/api/v1/project-client",
        headers,
      }),
      httpContender(bench, {
        ...gateway,
        name: "(e) POST /noop",
        path: "/api/v1/noop",
        body: noopBody,
        idempotencyKey: "fresh",
      }),
      httpContender(bench, {
        ...gateway,
        name: "(f) POST /domain-events",
        path: "/api/v1/domain-events",
        headers,
        body: eventBody,
        idempotencyKey: "fresh",
      }),
      {
        name: "(g) driver insertOne",
        role: "baseline",
        unit: "inserts/s",
        run: (durationMs) =>
          bench.generator.run("mongo", {
            what: "insert",
            uri: platform.stack.mongodbUri,
            inFlight: connections,
            durationMs,
          }),
      },
    ]);
    return {
      measured,
      checks: [
        ratioCheck(measured, ["(d) GET /project-client", "(c) Express + one grpc-js hop"], 0.6),
        ratioCheck(measured, ["(e) POST /noop", "(b) Express echo"], null),
        ratioCheck(measured, ["(f) POST /domain-events", "(c) Express + one grpc-js hop"], 0.4),
      ],
      notes: [],
    };
  },
};
