import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSource } from "../source-files.ts";
import { composeServices } from "./compose-services.ts";

test("renders no container of a service that compose.yaml describes by hand", () => {
  expect(
    composeServices("services: { identity-svc: {}, files-svc: {}, notify-svc: {}, events-svc: {}, ads-svc: {} }\n"),
  ).not.toContain("  ads-svc: &ads");
});

test("renders server and worker of a new service like those of ads-svc", () => {
  const { services } = parse(readSource("compose.yaml"), { merge: true }) as { services: Record<string, object> };
  const described = "services: { identity-svc: {}, files-svc: {}, notify-svc: {}, events-svc: {} }\n";
  const anchors = [
    "x-service: &service {}",
    "x-addresses: &addresses {}",
    "x-database: &database {}",
    "x-operators: &operators {}",
  ];
  const text = [...anchors, "services:", ...composeServices(described)].join("\n");
  const rendered = (parse(text, { merge: true }) as { services: Record<string, object> }).services;
  for (const name of ["ads-svc", "ads-svc-worker"]) {
    const { environment, ...rest } = rendered[name] as { environment: object };
    expect(services[name]).toMatchObject(rest);
    expect(services[name]).toHaveProperty("environment", expect.objectContaining(environment));
  }
});
