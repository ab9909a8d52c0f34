import { expect, test } from "vitest";
import { addressVariable } from "./service-addresses.ts";
import { httpServiceNames, serviceNames, services } from "./services.ts";

test("assigns every service its own ports", () => {
  const ports = serviceNames.flatMap((name) => [services[name].grpcPort, services[name].httpPort ?? []].flat());
  expect(new Set(ports).size).toBe(ports.length);
});

test("does not change the names of the variables that contain addresses", () => {
  expect(serviceNames.map((name) => addressVariable(name, "GRPC"))).toEqual(
    expect.arrayContaining(["IDENTITY_GRPC", "FILES_GRPC", "NOTIFY_GRPC", "EVENTS_GRPC", "ADS_GRPC"]),
  );
  expect(httpServiceNames.map((name) => addressVariable(name, "HTTP"))).toEqual(
    expect.arrayContaining(["IDENTITY_HTTP", "FILES_HTTP", "NOTIFY_HTTP"]),
  );
});
