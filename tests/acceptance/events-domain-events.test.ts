import { randomUUID } from "node:crypto";
import { runCtlText } from "@platform/stack/run-ctl";
import { beforeAll, describe, expect, test } from "vitest";
import { acceptanceStack, type TestClient } from "./stack.ts";

const { api, ctl, directory, newClient } = acceptanceStack;
let client: TestClient;

beforeAll(async () => {
  client = await newClient();
});

const publish = (fields: object = {}, raw?: string) =>
  api("POST", "/domain-events", {
    body: raw ?? { type: "order.placed", schema_version: 1, data: { total: 1 }, ...fields },
    credential: client.credential,
  });
const tail = (from: number, limit: number, ...more: string[]) =>
  ctl(["events", "tail", "--client", client.id, "--from", `${from}`, "--limit", `${limit}`, ...more]);

describe("Domain Events", () => {
  test("returns a published event as its envelope", async () => {
    const { status, json } = await publish({
      stream_id: "order-1",
      sequence: 1,
      occurred_at: "2026-01-01T09:00:00+09:00",
    });
    expect(status).toBe(200);
    expect(json.data).toEqual({
      id: expect.any(String),
      project_client_id: client.id,
      type: "order.placed",
      schema_version: 1,
      data: { total: 1 },
      stream_id: "order-1",
      sequence: 1,
      occurred_at: "2026-01-01T00:00:00.000Z",
      published_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test("returns null for absent fields", async () => {
    const { json } = await publish({ stream_id: null, sequence: null });
    expect([json.data.stream_id, json.data.sequence, json.data.occurred_at]).toEqual([null, null, null]);
  });

  test("accepts each sequence of a stream once", async () => {
    await publish({ stream_id: "s", sequence: 9 });
    const { status, json } = await publish({ stream_id: "s", sequence: 9 });
    expect([status, json.error.code]).toEqual([422, "stream_sequence_conflict"]);
  });

  test("returns data unchanged, with any keys", async () => {
    client = await newClient();
    const raw =
      '{"type":"x.y","schema_version":1,"data":{"__proto__":{"a":1},"$set":{"b.c":[null,1.5]},"constructor":"é","":0}}';
    const { text } = await publish({}, raw);
    const data = '{"__proto__":{"a":1},"$set":{"b.c":[null,1.5]},"constructor":"é","":0}';
    expect(text).toContain(`"data":${data}`);
    expect(JSON.stringify((await tail(0, 1)).event.data)).toBe(data);
  });

  test("keeps every digit of the numbers of data in the response, the replay and the stream", async () => {
    client = await newClient();
    const data =
      '{"id":9007199254740993,"p":0.1234567890123456789,"price":1.10,"__proto__":{"n":-0,"e":1E+2},"far":[-1e400,1E400,1e-400]}';
    const request = {
      body: `{"type":"x.y","schema_version":1,"data":${data}}`,
      credential: client.credential,
      idempotencyKey: randomUUID(),
    };
    for (const _attempt of ["first", "replay"]) {
      expect((await api("POST", "/domain-events", request)).text).toContain(`"data":${data},`);
    }
    const printed = await runCtlText(directory, [
      "events",
      "tail",
      "--client",
      client.id,
      "--from",
      "0",
      "--limit",
      "1",
    ]);
    expect(printed).toContain(`"data":${data},`);
  });

  test("refuses a key again when a digit differs that a double does not hold", async () => {
    const idempotencyKey = randomUUID();
    const send = (number: string) =>
      api("POST", "/domain-events", {
        body: `{"type":"x.y","schema_version":1,"data":{"id":${number}}}`,
        credential: client.credential,
        idempotencyKey,
      });
    expect((await send("9007199254740993")).status).toBe(200);
    const other = await send("9007199254740992");
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"]);
  });

  test("reads events in commit order, at positions without a gap, and resumes where the reader ended", async () => {
    client = await newClient();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await publish()).json.data.id);
    const seen = [await tail(0, 1), await tail(1, 1), await tail(4, 1)];
    expect(seen.map(({ position }) => position)).toEqual([1, 2, 5]);
    expect(seen.map(({ event }) => event.id)).toEqual([ids[0], ids[1], ids[4]]);
  });

  test("prints the events that exist and ends with --until-end, whatever the type of the last one", async () => {
    client = await newClient();
    const untilEnd = async (...more: string[]): Promise<number[]> => {
      const printed = await runCtlText(directory, ["events", "tail", "--client", client.id, "--until-end", ...more]);
      const lines = printed.split("\n").filter((line) => line !== "");
      return lines.map((line) => (JSON.parse(line) as { position: number }).position);
    };
    expect(await untilEnd()).toEqual([]);
    const types = ["order.placed", "order.paid", "invoice.sent"];
    for (const type of types) await publish({ type });
    // The positions are assigned after the publication.
    await tail(2, 1);
    expect(await untilEnd()).toEqual([1, 2, 3]);
    expect(await untilEnd("--from", "1")).toEqual([2, 3]);
    expect(await untilEnd("--from", "3")).toEqual([]);
    expect(await untilEnd("--type", "order.*")).toEqual([1, 2]);
    expect(await untilEnd("--limit", "1")).toEqual([1]);
  });

  test("filters a reader's events by type", async () => {
    client = await newClient();
    await publish({ type: "a.one" });
    const wanted = await publish({ type: "b.two" });
    const { position, event } = await tail(0, 1, "--type", "b.two");
    expect([position, event]).toEqual([2, wanted.json.data]);
  });
});
