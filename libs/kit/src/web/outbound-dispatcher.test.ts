import type { LookupAddress } from "node:dns";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defined } from "../process/defined.ts";
import { checkOutboundUrl } from "./check-outbound-url.ts";
import { createOutboundDispatcher, type OutboundLookup } from "./outbound-dispatcher.ts";
import { OutboundRefused, outboundPolicyOf } from "./outbound-policy.ts";

let port = 0;
let arrivals = 0;
const server = createServer((incoming, response) => {
  arrivals += 1;
  if (incoming.url === "/redirect") response.writeHead(302, { location: "/" });
  response.end("ok");
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const answering =
  (...addresses: string[]): OutboundLookup =>
  (_hostname, _options, done) =>
    done(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

async function failureOf(url: string, environment: string, lookup?: OutboundLookup): Promise<unknown> {
  const dispatcher = createOutboundDispatcher({
    ...outboundPolicyOf(environment, []),
    ports: null,
    ...defined({ lookup }),
  });
  try {
    const { statusCode, body } = await request(url, { dispatcher });
    await body.dump();
    return statusCode;
  } catch (error) {
    return error;
  } finally {
    await dispatcher.close();
  }
}

describe("the check at connect time", () => {
  test("refuses a name that was public when it was registered and is loopback when it is called (DNS rebinding)", async () => {
    const url = `https://rebind.example:${port}/`;
    const policy = { ...outboundPolicyOf("production", []), ports: null };
    checkOutboundUrl(url, policy);
    const before = arrivals;
    const failure = await failureOf(url, "production", answering("127.0.0.1"));
    expect(failure).toBeInstanceOf(OutboundRefused);
    expect(failure).toMatchObject({ reason: "address_not_allowed" });
    expect(arrivals).toBe(before);
  });

  test("refuses a name that has both a public and a private address", async () => {
    const failure = await failureOf(`https://two.example:${port}/`, "production", answering("8.8.8.8", "127.0.0.1"));
    expect(failure).toMatchObject({ reason: "address_not_allowed" });
  });

  test.each(["127.0.0.1", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]"])(
    "refuses the address %s without a look-up",
    async (host) => {
      expect(await failureOf(`http://${host}:${port}/`, "staging")).toMatchObject({ reason: "address_not_allowed" });
    },
  );

  test.each(["localhost", "localhost.", "api.localhost"])(
    "refuses the name %s even if a resolver returns a public address",
    async (host) => {
      const failure = await failureOf(`https://${host}:${port}/`, "production", answering("8.8.8.8"));
      expect(failure).toMatchObject({ reason: "address_not_allowed" });
    },
  );

  test("treats names below localhost as loopback in development without querying a resolver", async () => {
    expect(await failureOf(`http://api.localhost:${port}/`, "development")).toBe(200);
  });

  test("allows calls to loopback over http in development", async () => {
    expect(await failureOf(`http://127.0.0.1:${port}/`, "development")).toBe(200);
    expect(await failureOf(`http://here.example:${port}/`, "development", answering("127.0.0.1"))).toBe(200);
  });

  test("does not follow a redirect", async () => {
    expect(await failureOf(`http://127.0.0.1:${port}/redirect`, "development")).toBe(302);
  });
});
