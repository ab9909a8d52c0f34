import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSeedFile } from "./seed-file.ts";
import { localPlatformOptions } from "./start-local-platform.ts";

const folder = mkdtempSync(join(tmpdir(), "seed-file-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (text: string): string => {
  const path = join(folder, "seed.yaml");
  writeFileSync(path, text);
  return path;
};

describe("a seed file", () => {
  it("parses YAML or JSON, and uses defaults for everything except the name of a client", () => {
    const [client] = readSeedFile(fileOf("clients:\n  - name: Shop\n    credentials: [{ name: ci }]\n")).clients;
    expect(client).toMatchObject({ name: "Shop", environment: "development", return_uris: [], platform_events: "off" });
    expect(client?.credentials[0]?.scopes).toContain("events:write");
    expect(readSeedFile(fileOf('{"clients": [{"name": "Shop"}]}')).clients).toHaveLength(1);
  });

  it.each([
    ["an unknown field", "clients: [{ name: Shop, colour: red }]", /clients\.0.*colour/],
    ["an unknown scope", "clients: [{ name: Shop, credentials: [{ name: ci, scopes: [all] }] }]", /scopes/],
    ["a production environment", "clients: [{ name: Shop, environment: production }]", /environment/],
    ["no client", "clients: []", /clients/],
    ["two clients of one name", "clients: [{ name: Shop }, { name: Shop }]", /clients: "Shop" is there twice/],
    [
      "two credentials of one name",
      "clients: [{ name: Shop, credentials: [{ name: a }, { name: a }] }]",
      /"a" is there twice/,
    ],
    ["text that is no YAML", "clients: [", /seed\.yaml/],
  ])("rejects a seed file in one line with %s", (_what, text, message) => {
    expect(() => readSeedFile(fileOf(text))).toThrow(message);
    expect(() => readSeedFile(fileOf(text))).toThrow(/^[^\n]*$/);
  });

  it("accepts 50 clients, and rejects 51", () => {
    const clients = (count: number): string =>
      JSON.stringify({ clients: Array.from({ length: count }, (_, n) => ({ name: `client-${n}` })) });
    expect(readSeedFile(fileOf(clients(50))).clients).toHaveLength(50);
    expect(() => readSeedFile(fileOf(clients(51)))).toThrow(/clients/);
  });
});

describe("the settings of a platform in a container", () => {
  it("uses defaults that fit the published ports", () => {
    expect(localPlatformOptions({})).toEqual({
      directory: "/data",
      portBase: 8080,
      publicBaseUrl: "http://127.0.0.1:8080",
      seed: null,
    });
  });

  it("rejects an invalid port, URL or seed, with the name of the variable or file", () => {
    expect(() => localPlatformOptions({ STACK_PORT_BASE: "http" })).toThrow(/^STACK_PORT_BASE/);
    expect(() => localPlatformOptions({ STACK_PORT_BASE: "1099" })).toThrow(/^STACK_PORT_BASE/);
    expect(localPlatformOptions({ STACK_PORT_BASE: "1100" }).portBase).toBe(1_100);
    expect(() => localPlatformOptions({ PUBLIC_BASE_URL: "platform:8080" })).toThrow(/^PUBLIC_BASE_URL/);
    expect(() => localPlatformOptions({ SEED_FILE: "/nowhere/seed.yaml" })).toThrow(/\/nowhere\/seed\.yaml/);
    expect(localPlatformOptions({ PUBLIC_BASE_URL: "http://platform:8080/" }).publicBaseUrl).toBe(
      "http://platform:8080",
    );
  });
});
