import { Readable } from "node:stream";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test } from "vitest";
import {
  expressHandler,
  fetchHandler,
  handledIdsInMemory,
  type ReceivedRequest,
  verify,
  type WebhookCall,
  WebhookError,
} from "./index.ts";

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const plainSecret = "pläin text of at least thirty-two characters";
const scheduled = {
  operation_id: "01890a5d-aca0-7469-92c1-80ad4e6f1cb9",
  name: "orders.close-stale",
  invocation_id: "01890a5d-aca1-757a-a3d2-91be5f702dca",
  scheduled_for: "2026-07-01T00:30:00.000Z",
  attempt: 1,
};
const event = {
  specversion: "1.0",
  id: "e-1",
  source: "/project-clients/p-1",
  type: "order.shipped",
  data: { parcels: 2 },
};

type Signed = { body: string; headers: Record<string, string> };

/** A call as the platform sends it, signed by the official library. */
function signed(body: unknown = scheduled, { with: key = secret, at = new Date(), id = "call-1" } = {}): Signed {
  const text = JSON.stringify(body);
  const webhook = key.startsWith("whsec_") ? new Webhook(key) : new Webhook(Buffer.from(key), { format: "raw" });
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": `${Math.floor(at.getTime() / 1000)}`,
    "webhook-signature": webhook.sign(id, at, text),
  };
  return { body: text, headers };
}

/** A handler, and the calls it received. */
function handler(handle: (call: WebhookCall) => unknown = () => {}) {
  const handled: WebhookCall[] = [];
  const receive = fetchHandler({
    secret,
    handle: async (call) => {
      await handle(call);
      handled.push(call);
    },
  });
  const post = async ({ body, headers }: { body: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }) =>
    (await receive(new Request("https://shop.example.com/hooks", { method: "POST", headers, body }))).status;
  return { handled, post };
}

describe("a call of the platform", () => {
  test("verifies a call and distinguishes scheduled calls from events", async () => {
    expect(await verify(secret, signed())).toEqual({ kind: "scheduled", id: "call-1", call: scheduled });
    const { body, headers } = signed(event, { with: plainSecret });
    const request = new Request("https://shop.example.com/", { method: "POST", headers, body });
    expect(await verify(plainSecret, request)).toEqual({ kind: "event", id: "call-1", event });
  });

  const { body, headers } = signed();
  const titled = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  );
  test.each<[string, ReceivedRequest["headers"]]>([
    ["title case, as gateways of functions write them", titled],
    ["upper case", Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))],
    [
      "arrays of values, as Node and gateways write them",
      Object.fromEntries(Object.entries(titled).map(([name, value]) => [name, [value]])),
    ],
    ["a Headers object", new Headers(headers)],
    ["a Headers object of another realm", { forEach() {}, [Symbol.iterator]: () => new Headers(headers).entries() }],
    ["a Map", new Map(Object.entries(titled))],
    ["pairs", Object.entries(titled)],
    ["raw headers, a name and a value in turn", Object.entries(titled).flat()],
  ])("verifies a call whose headers are %s", async (_how, given) => {
    expect(await verify(secret, { headers: given, body })).toMatchObject({ kind: "scheduled", id: "call-1" });
  });

  test("accepts the old and the new secret during a rotation", async () => {
    const secrets = [plainSecret, secret];
    expect((await verify(secrets, signed(scheduled, { with: plainSecret }))).id).toBe("call-1");
    expect((await verify(secrets, signed())).id).toBe("call-1");
  });

  test("handles a call and returns 200", async () => {
    const { handled, post } = handler();
    expect(await post(signed())).toBe(200);
    expect(handled).toEqual([{ kind: "scheduled", id: "call-1", call: scheduled }]);
  });

  test("returns 500 when the handler fails, and handles the repeat", async () => {
    let isDown = true;
    const { handled, post } = handler(() => {
      if (isDown) throw new Error("the database is down");
    });
    expect(await post(signed())).toBe(500);
    isDown = false;
    expect(await post(signed())).toBe(200);
    expect(handled).toHaveLength(1);
  });

  test("handles a call once when its repeat arrives during the handling", async () => {
    const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { handled, post } = handler(() => {
      begun.resolve();
      return finished.promise;
    });
    const first = post(signed());
    await begun.promise;
    expect(await post(signed())).toBe(409);
    finished.resolve();
    expect(await first).toBe(200);
    expect(handled).toHaveLength(1);
  });
});

describe("attacks", () => {
  const { handled, post } = handler();
  afterEach(() => expect(handled).toEqual([]));

  test("refuses a call signed without the secret", async () => {
    expect(await post(signed(scheduled, { with: `whsec_${Buffer.from("guess").toString("base64")}` }))).toBe(401);
  });

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "refuses a call with a second %s header in different case (ambiguous header)",
    async (name) => {
      const { body, headers } = signed();
      const twice = { ...headers, [name.toUpperCase()]: "2" };
      await expect(verify(secret, { headers: twice, body })).rejects.toThrow(WebhookError);
      await expect(
        verify(secret, { headers: { ...headers, [name]: [headers[name] ?? "", "2"] }, body }),
      ).rejects.toThrow(WebhookError);
    },
  );

  test("does not read headers from a polluted prototype", async () => {
    const { body, headers } = signed();
    await expect(verify(secret, { headers: Object.create(headers), body })).rejects.toThrow(WebhookError);
  });

  const short = `whsec_${Buffer.from("k".repeat(18)).toString("base64")}`;
  test.each<[string, unknown]>([
    ["no secret", undefined],
    ["null", null],
    ["an empty text", ""],
    ["a blank", " "],
    ["32 blanks", " ".repeat(32)],
    ["the word undefined", "undefined"],
    ["the word null", "null"],
    ["31 characters", "s".repeat(31)],
    ["a whsec_ secret of fewer characters than a registration takes", short],
    ["a whsec_ secret that is no base64", `whsec_${"*".repeat(40)}`],
    ["a whsec_ secret without a key", `whsec_${" ".repeat(40)}`],
    ["no secrets", []],
    ["an unset secret beside a good one", [secret, undefined]],
  ])("refuses %s as the secret, with which anyone could sign (unset environment variable)", async (_what, wrong) => {
    const { body, headers } = signed();
    await expect(verify(wrong as string, { headers, body })).rejects.toThrow(/the webhook secret/);
    expect(() => fetchHandler({ secret: wrong as string, handle: () => {} })).toThrow(TypeError);
  });

  test("accepts a secret of 32 characters", async () => {
    const least = "ü".repeat(32);
    expect(await verify(least, signed(scheduled, { with: least }))).toMatchObject({ kind: "scheduled" });
  });

  test("refuses a call without signature", async () => {
    expect(await post({ body: JSON.stringify(scheduled), headers: {} })).toBe(401);
    expect(await post({ ...signed(), headers: { ...signed().headers, "webhook-signature": "v1," } })).toBe(401);
  });

  test("refuses a call with an altered body", async () => {
    const { body, headers } = signed();
    expect(await post({ body: body.replace("close-stale", "delete-all"), headers })).toBe(401);
  });

  test("refuses a call with an altered id", async () => {
    const { body, headers } = signed();
    expect(await post({ body, headers: { ...headers, "webhook-id": "call-2" } })).toBe(401);
  });

  test("refuses a late call, also with a fresh timestamp", async () => {
    const late = signed(scheduled, { at: new Date(Date.now() - 6 * 60_000) });
    expect(await post(late)).toBe(401);
    const now = `${Math.floor(Date.now() / 1000)}`;
    expect(await post({ ...late, headers: { ...late.headers, "webhook-timestamp": now } })).toBe(401);
  });

  test("refuses a call dated in the future", async () => {
    expect(await post(signed(scheduled, { at: new Date(Date.now() + 6 * 60_000) }))).toBe(401);
  });

  test("refuses a body that is not UTF-8", async () => {
    const { headers } = signed({ ...scheduled, name: "\ufffd" });
    const bytes = Buffer.from(JSON.stringify({ ...scheduled, name: "?" }));
    bytes[bytes.indexOf("?")] = 0xff;
    expect(await post({ body: new Uint8Array(bytes), headers })).toBe(401);
  });

  test("refuses signed text that is not a call", async () => {
    expect(await post(signed([]))).toBe(401);
    expect(await post(signed("scheduled"))).toBe(401);
  });

  test("stops reading an endless body", async () => {
    const { headers } = signed();
    expect(await post({ body: "a".repeat(3 * 1024 * 1024), headers })).toBe(413);
  });

  test("rejects with a WebhookError", async () => {
    await expect(verify(plainSecret, signed())).rejects.toThrow(WebhookError);
  });
});

test("does not handle a replayed call again", async () => {
  const { handled, post } = handler();
  const captured = signed();
  expect(await post(captured)).toBe(200);
  expect(await post(captured)).toBe(200);
  expect(await post(signed(scheduled, { at: new Date(Date.now() + 1_000) }))).toBe(200);
  expect(handled).toHaveLength(1);
});

test("keeps the newest ids in memory and evicts the oldest", async () => {
  const ids = handledIdsInMemory();
  expect(await ids.begin("a")).toBe("new");
  await ids.finish("a");
  for (let index = 0; index < 90_000; index += 1) await ids.begin(`${index}`);
  expect(await ids.begin("a")).toBe("done");
});

describe("the Express handler", () => {
  const receive = async (request: object, { headers, body }: Signed) => {
    const handled: WebhookCall[] = [];
    const written: unknown[] = [];
    const errors: unknown[] = [];
    const handle = expressHandler({ secret, handle: (call) => handled.push(call) });
    const response = { writeHead: (status: number) => written.push(status), end: () => {} };
    await handle(Object.assign(Readable.from([Buffer.from(body)]), { headers }, request), response, (error) =>
      errors.push(error),
    );
    return { handled, written, errors };
  };

  test("reads the body itself, or uses the bytes of express.raw()", async () => {
    const call = signed();
    for (const request of [{}, { body: {} }, { body: Buffer.from(call.body) }]) {
      const { handled, written } = await receive(request, call);
      expect([handled.length, written]).toEqual([1, [200]]);
    }
  });

  test("reports a body that another middleware has already parsed", async () => {
    const { handled, errors } = await receive({ body: scheduled }, signed());
    expect(handled).toEqual([]);
    expect(String(errors)).toContain("before express.json()");
  });
});
