import { expect, test } from "vitest";
import { addressVariable } from "./service-addresses.ts";
import { httpServiceNames, serviceNames, services } from "./services.ts";

test("gives every service ports of its own, the HTTP port next to an even gRPC port", () => {
  const ports = serviceNames.map((name) => services[name].grpcPort);
  expect(new Set(ports).size).toBe(ports.length);
  for (const port of ports) expect(port % 2).toBe(0);
  for (const name of httpServiceNames) expect(services[name].httpPort).toBe(services[name].grpcPort + 1);
});

test("keeps the names of the variables that hold addresses", () => {
  expect(serviceNames.map((name) => addressVariable(name, "GRPC"))).toEqual(
    expect.arrayContaining(["IDENTITY_GRPC", "FILES_GRPC", "NOTIFY_GRPC", "EVENTS_GRPC", "ADS_GRPC"]),
  );
  expect(httpServiceNames.map((name) => addressVariable(name, "HTTP"))).toEqual(
    expect.arrayContaining(["IDENTITY_HTTP", "FILES_HTTP", "NOTIFY_HTTP"]),
  );
});
