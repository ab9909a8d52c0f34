import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ProviderSink, type SinkMessage, startProviderSink } from "../src/index.ts";

let sink: ProviderSink;
beforeAll(async () => {
  sink = await startProviderSink();
});
beforeEach(() => sink.clear());
afterAll(() => sink.close());

/** Sends a push that is rejected because it has no credential. It is recorded nevertheless. */
function arrive(token: string, url = sink.fcmBaseUrl) {
  return fetch(`${url}/v1/projects/p/messages:send`, { method: "POST", body: JSON.stringify({ message: { token } }) });
}

async function list(query = ""): Promise<SinkMessage[]> {
  const response = await fetch(`${sink.httpUrl}/messages${query}`);
  expect(response.status).toBe(200);
  return response.json() as Promise<SinkMessage[]>;
}

function postFault(fault: unknown) {
  return fetch(`${sink.httpUrl}/faults`, { method: "POST", body: JSON.stringify(fault) });
}

describe("messages", () => {
  it("lists messages oldest first with exactly the documented fields", async () => {
    for (const token of ["a", "b", "c"]) await arrive(token);
    const messages = await list("?channel=fcm");
    expect(messages.map(({ to }) => to)).toEqual(["a", "b", "c"]);
    expect(Object.keys(messages[0] ?? {}).sort()).toEqual(
      ["answered_status", "channel", "headers", "id", "parsed", "raw", "received_at", "to"].sort(),
    );
    expect(messages[0]?.received_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(messages[0]?.raw).toBe('{"message":{"token":"a"}}');
  });

  it("finds messages by channel, recipient, position and number", async () => {
    for (const token of ["a", "b", "a"]) await arrive(token);
    const [first] = await list();
    expect(await list("?to=a")).toHaveLength(2);
    expect(await list("?channel=fcm&to=a")).toHaveLength(2);
    expect(await list("?channel=apns&to=a")).toEqual([]);
    expect(await list("?to=A")).toEqual([]);
    expect((await list(`?after=${first?.id}`)).map(({ to }) => to)).toEqual(["b", "a"]);
    expect((await list("?newest=2")).map(({ to }) => to)).toEqual(["b", "a"]);
  });

  it("responds to a waiting reader once the missing message arrives", async () => {
    await arrive("w");
    const waiting = list("?channel=fcm&to=w&count=2&wait_ms=60000");
    await arrive("other");
    await arrive("w");
    expect(await waiting).toHaveLength(2);
  });

  it("returns the current messages to a waiting reader at its time limit", async () => {
    await arrive("w");
    expect(await list("?to=w&count=2&wait_ms=50")).toHaveLength(1);
  });

  it("counts only messages after the position for a waiting reader", async () => {
    await arrive("w");
    const [first] = await list();
    const waiting = sink.messages({ to: "w", after: first?.id ?? "", waitMs: 60_000 });
    await arrive("w");
    expect(await waiting).toHaveLength(1);
  });

  it("deletes messages on DELETE, and continues the ids", async () => {
    await arrive("a");
    const [first] = await list();
    expect((await fetch(`${sink.httpUrl}/messages`, { method: "DELETE" })).status).toBe(204);
    expect(await list()).toEqual([]);
    await arrive("a");
    expect(Number((await list())[0]?.id)).toBeGreaterThan(Number(first?.id));
  });

  it.each(["?chanel=fcm", "?channel=sms", "?count=many", "?newest=-1", "?after=x", "?wait_ms=999999999"])(
    "responds to %s with 400 and a reason",
    async (query) => {
      const response = await fetch(`${sink.httpUrl}/messages${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.stringMatching(/./) });
    },
  );

  it("evicts the oldest messages beyond its number, from every list", async () => {
    const small = await startProviderSink({ maxMessages: 3 });
    for (const token of ["a", "b", "a", "c", "d"]) await arrive(token, small.fcmBaseUrl);
    expect((await small.messages()).map(({ to }) => to)).toEqual(["a", "c", "d"]);
    expect(await small.messages({ to: "a" })).toHaveLength(1);
    expect(await small.messages({ to: "b" })).toEqual([]);
    expect(await small.messages({ channel: "fcm" })).toHaveLength(3);
    expect(await (await fetch(`${small.httpUrl}/counts`)).json()).toEqual({ fcm: 5 });
    await small.close();
  });

  it("evicts the oldest messages beyond its bytes", async () => {
    const small = await startProviderSink({ maxBytes: 60 });
    for (const token of ["a", "b", "c", "d"]) await arrive(token, small.fcmBaseUrl);
    expect((await small.messages()).map(({ to }) => to)).toEqual(["c", "d"]);
    await small.close();
  });
});

describe("faults", () => {
  it("applies a fault as often as requested, those for one recipient before those for all", async () => {
    expect((await postFault({ channel: "fcm", status: 500, times: 2 })).status).toBe(201);
    await postFault({ channel: "fcm", to: "a", kind: "unregistered" });
    const statuses = [];
    for (const token of ["a", "a", "b", "b"]) statuses.push((await arrive(token)).status);
    expect(statuses).toEqual([404, 500, 500, 401]);
  });

  it("applies faults exactly as often as requested for parallel attempts", async () => {
    await postFault({ channel: "fcm", status: 500, times: 7 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => arrive("p")));
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(7);
  });

  it("lists remaining faults, and removes them on DELETE", async () => {
    await postFault({ channel: "fcm", status: 500, times: 3 });
    await arrive("a");
    expect(await (await fetch(`${sink.httpUrl}/faults`)).json()).toEqual([{ channel: "fcm", status: 500, times: 2 }]);
    expect((await fetch(`${sink.httpUrl}/faults`, { method: "DELETE" })).status).toBe(204);
    expect((await arrive("a")).status).toBe(401);
  });

  it.each([
    ["no channel", { status: 500 }, /channel/],
    ["an unknown channel", { channel: "sms", status: 500 }, /channel/],
    ["nothing said", { channel: "fcm" }, /at least one of/],
    ["drop: false alone", { channel: "fcm", drop: false }, /at least one of/],
    ["an unknown kind", { channel: "fcm", kind: "nope" }, /unregistered/],
    ["a kind of the prototype", { channel: "fcm", kind: "constructor" }, /unknown for fcm/],
    ["another channel's kind", { channel: "apns", kind: "mailbox_full" }, /unknown for apns/],
    ["an unknown stage", { channel: "email", status: 500, stage: "helo" }, /rcpt, greeting, mail, data, tls, auth/],
    ["a status that is none", { channel: "fcm", status: 42 }, /status/],
    ["an SMTP status of success", { channel: "email", status: 250 }, /400 to 599/],
    ["headers for SMTP", { channel: "email", status: 450, headers: { a: "b" } }, /headers/],
    ["a recipient for TLS", { channel: "email", kind: "tls_failure", to: "a@x.example" }, /before the recipient/],
    [
      "a recipient for the token endpoint",
      { channel: "fcm", kind: "token_unavailable", to: "t" },
      /before the recipient/,
    ],
    ["no times", { channel: "fcm", status: 500, times: 0 }, /times/],
    ["an unknown field", { channel: "fcm", status: 500, time: 2 }, /time/],
    ["a header name with a line break", { channel: "fcm", status: 500, headers: { "a\nb": "c" } }, /headers/],
    ["a header value with a line break", { channel: "fcm", status: 500, headers: { a: "b\r\nc: d" } }, /headers/],
    ["a text instead of an object", "fcm", /object/],
  ])("rejects faults with %s with 400 and changes nothing", async (_name, fault, reason) => {
    const response = await postFault(fault);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(reason) });
    expect(await (await fetch(`${sink.httpUrl}/faults`)).json()).toEqual([]);
  });

  it("rejects faults that are not JSON with 400", async () => {
    const response = await fetch(`${sink.httpUrl}/faults`, { method: "POST", body: "{" });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringContaining("JSON") });
  });

  it("throws the same reason from setFault", () => {
    expect(() => sink.setFault({ channel: "fcm", kind: "nope" })).toThrow(/unregistered/);
  });
});

it("clears messages by its own form only, not by one of another site (cross-site request forgery)", async () => {
  await fetch(`${sink.lineBaseUrl}/v2/bot/message/push`, { method: "POST", body: "{}" });
  const post = (headers: Record<string, string>) =>
    fetch(`${sink.httpUrl}/clear`, { method: "POST", headers, redirect: "manual" });
  for (const headers of [{ origin: "https://attacker.example" }, { origin: "null" }, {}])
    expect((await post(headers)).status).toBe(403);
  expect(await sink.messages()).toHaveLength(1);
  expect((await post({ origin: sink.httpUrl })).status).toBe(303);
  expect(await sink.messages()).toEqual([]);
});

it("sends the page again only once a message, a fault or a clearing has changed it", async () => {
  let version = "";
  const isChanged = async (): Promise<boolean> => {
    const reply = await fetch(`${sink.httpUrl}/`, { headers: { "if-none-match": version } });
    version = /data-version="([^"]+)"/.exec(await reply.text())?.[1] ?? version;
    return reply.status === 200;
  };
  expect([await isChanged(), await isChanged()]).toEqual([true, false]);
  sink.setFault({ channel: "line", kind: "bad_request" });
  expect([await isChanged(), await isChanged()]).toEqual([true, false]);
  await fetch(`${sink.lineBaseUrl}/v2/bot/message/push`, { method: "POST", body: "{}" });
  expect([await isChanged(), await isChanged()]).toEqual([true, false]);
  sink.clear();
  expect([await isChanged(), await isChanged()]).toEqual([true, false]);
});

it.each([
  "channel=pager",
  "message=0",
  "message=99999",
  "message=../x",
  "view=raw",
  "search[a]=b",
  `search=${"x".repeat(9_000)}`,
])("shows the page for the unknown query ?%.40s", async (query) => {
  const reply = await fetch(`${sink.httpUrl}/?${query}`);
  expect(reply.status).toBe(200);
  expect(await reply.text()).toContain("Nothing has arrived yet.");
});

it("reports a port in use, and leaves no listener behind", async () => {
  const taken = Number(new URL(sink.apnsBaseUrl).port);
  const probe = await startProviderSink();
  const free = Number(new URL(probe.httpUrl).port);
  await probe.close();
  await expect(startProviderSink({ httpPort: free, apnsPort: taken })).rejects.toMatchObject({ code: "EADDRINUSE" });
  await expect(fetch(`http://127.0.0.1:${free}/counts`)).rejects.toThrow();
});
