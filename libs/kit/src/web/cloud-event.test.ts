import { expect, test } from "vitest";
import { type ToldEvent, toCloudEvent } from "./cloud-event.ts";

const event: ToldEvent["event"] = {
  id: "0190a5c8-0000-7000-8000-000000000001",
  project_client_id: "0190a5c8-0000-7000-8000-0000000000aa",
  type: "order.placed",
  schema_version: 3,
  data_json: '{"__proto__":1,"n":1.0}',
  stream_id: "order-1",
  sequence: 7,
  occurred_at: new Date("2026-01-01T00:00:00Z"),
  published_at: new Date("2026-01-01T00:00:01Z"),
  origin: "client",
};

test("writes a Domain Event as CloudEvent 1.0 with the publisher's JSON byte for byte", () => {
  const text = toCloudEvent({ position: 12, event });
  expect(text.endsWith(',"data":{"__proto__":1,"n":1.0}}')).toBe(true);
  const { data: _data, ...attributes } = JSON.parse(text);
  expect(attributes).toEqual({
    specversion: "1.0",
    id: event.id,
    source: `/project-clients/${event.project_client_id}`,
    type: "order.placed",
    time: "2026-01-01T00:00:00.000Z",
    datacontenttype: "application/json",
    publishedtime: "2026-01-01T00:00:01.000Z",
    schemaversion: "3",
    position: "12",
    streamid: "order-1",
    sequence: "7",
  });
});

test("uses only lower-case letters and digits in names of attributes, as CloudEvents requires", () => {
  expect(Object.keys(JSON.parse(toCloudEvent({ position: 1, event }, false)))).toSatisfy((names: string[]) =>
    names.every((name) => /^[a-z0-9]+$/.test(name)),
  );
});

test("omits the data of an event above the size limit and marks it", () => {
  expect(JSON.parse(toCloudEvent({ position: 1, event }, false))).toMatchObject({ id: event.id, dataomitted: true });
});

test("distinguishes events of the platform from the client's by their source", () => {
  const { source } = JSON.parse(toCloudEvent({ position: 12, event: { ...event, origin: "platform" } }));
  expect(source).toBe(`/platform/project-clients/${event.project_client_id}`);
});
