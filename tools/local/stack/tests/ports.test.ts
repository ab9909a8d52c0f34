import { expect, test } from "vitest";
import { allPorts, freePortBase, stackPorts } from "../src/ports.ts";

test("has these ports for the base 8080, on which scripts and documents rely", () => {
  const ports = stackPorts(8080);
  const { gateway, identity, files, notify, events, ads, mongo, redis, oidcProvider, prometheus, alertmanager } = ports;
  expect({ gateway, mongo, redis, console: ports.console, oidcProvider, prometheus, alertmanager }).toEqual({
    gateway: 8080,
    mongo: 8100,
    redis: 8101,
    console: 8110,
    oidcProvider: 8111,
    prometheus: 8112,
    alertmanager: 8113,
  });
  expect([identity, files, notify, events, ads].map(({ grpc, http }) => [grpc, http])).toEqual([
    [8090, 8091],
    [8092, 8093],
    [8094, 8095],
    [8096, null],
    [8098, null],
  ]);
  expect(ports.gatewayInternal).toBe(8081);
  expect(ports.bounces.smtp).toBe(8114);
  expect([ports.sinkHttp, ports.sinkSmtp]).toEqual([8025, 1025]);
});

test("returns ranges that do not overlap to callers that request one before the stacks start", async () => {
  // With the default, all callers would choose the same range, then the next one, and then a free one.
  const randomOf = () => {
    const wanted = [0.5, 0.505, 0.495];
    return () => wanted.shift() ?? Math.random();
  };
  const bases = await Promise.all(Array.from({ length: 5 }, () => freePortBase(randomOf())));
  const ports = bases.flatMap((base) => allPorts(stackPorts(base)));
  expect(new Set(ports).size).toBe(ports.length);
});
