import { exampleRequests } from "@platform/contracts/examples";
import { type OperationId, operations } from "@platform/contracts/operations";
import { isServiceError } from "@platform/kit/rpc/errors";
import { afterAll, describe, expect, test } from "vitest";
import { type SentRequest, validateRequest } from "./validate-request.ts";
import { createValidationThread } from "./validation-thread.ts";

const thread = createValidationThread();
afterAll(() => thread.close());

const sent = (body: string, rawParams = {}): SentRequest => ({
  rawParams,
  contentType: "application/json",
  idempotencyKey: "key",
  bytes: Buffer.from(body),
  scan: null,
});

/** Returns the validated request, or the code, message and details of the error. */
async function outcome(validate: () => unknown): Promise<unknown> {
  try {
    return await validate();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { code: error.code, message: error.message, details: error.details };
  }
}

const here = (id: OperationId, request: SentRequest) =>
  outcome(() => validateRequest({ ...operations[id], id }, request));
const there = (id: OperationId, request: SentRequest) => outcome(() => thread.validate(id, request));

test.each(Object.entries(exampleRequests))(
  "returns the same result for the example of %s as the event loop",
  async (id, { body }) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const operationId = id as OperationId;
    expect(await there(operationId, sent(text))).toEqual(await here(operationId, sent(text)));
  },
);

test.each([
  { name: "violations", body: '{"type":"","schema_version":1e400,"more":1}' },
  { name: "text that is no JSON", body: "{" },
  { name: "a lone surrogate", body: '{"type":"a.b","schema_version":1,"data":{"a":"\\ud800"}}' },
  { name: "too many values", body: `[${"1,".repeat(50_000)}1]` },
])("rejects $name with the same error as the event loop", async ({ body }) => {
  const refusal = await there("events.publishDomainEvent", sent(body));
  expect(refusal).toMatchObject({ code: "contract_violation" });
  expect(refusal).toEqual(await here("events.publishDomainEvent", sent(body)));
});

const keys = (write: (index: number) => string): string =>
  `{${Array.from({ length: 9_000 }, (_, index) => `"k${(index * 7_919) % 9_000}":${write(index)}`).join(",")}}`;
const event = (data: string): string => `{"type":"a.b","schema_version":1,"data":${data}}`;

// Fingerprints must not change between releases, because a stored fingerprint is compared with that of a repeat, which
// may arrive a day after a release.
describe.each([
  {
    name: "numbers in any notation, escapes and integer keys",
    data: '{"b":[1.0,1e2,-0],"a":"あ\\u20ac\\"","9":{"z":null,"y":true}}',
    fingerprint: "43e3ac153ea36f5aed0e599186172b91e0d9e765e52e4d312c3103519c581d03",
  },
  {
    name: "numbers beyond a double",
    data: '{"n":9007199254740993,"i":1e400}',
    fingerprint: "ee47b5164b6599feb6c3631de089e0908aa75febe4859a92182d09a0687770d1",
  },
  {
    name: "9,000 keys in random order",
    data: keys(String),
    fingerprint: "6432334a144f11d5c70f079ccf534a09c58d230afa5677c2a9ab4dd3563cd96f",
  },
  {
    name: "9,000 numbers beyond a double",
    data: keys((index) => `${index}.10000000000000000001`),
    fingerprint: "19f3d86e64aa5f31f263835d7cf63d116f309128a42710ef539f235bfebda696",
  },
])("the fingerprint of $name", ({ data, fingerprint }) => {
  test.each([
    { place: "the event loop", validate: here },
    { place: "the thread", validate: there },
  ])("computes the same fingerprint as earlier releases: $place", async ({ validate }) => {
    expect(await validate("events.publishDomainEvent", sent(event(data)))).toMatchObject({
      idempotency: { fingerprint },
    });
  });
});

test("validates bytes in shared memory, and does not change the bytes around them", async () => {
  const shared = Buffer.from(`xx${event("{}")}yy`);
  const request = { ...sent(""), bytes: shared.subarray(2, -2) };
  expect(await there("events.publishDomainEvent", request)).toMatchObject({ body: { dataJson: "{}" } });
  expect(shared.toString()).toBe(`xx${event("{}")}yy`);
});

test("returns the outcome of each of several concurrent requests to its own caller", async () => {
  const answers = await Promise.all(
    [1, 2, 3].map((index) => there("events.publishDomainEvent", sent(event(`{"n":${index}}`)))),
  );
  expect(answers).toMatchObject([1, 2, 3].map((index) => ({ body: { dataJson: `{"n":${index}}` } })));
});

test("fails the request with dependency_unavailable if its thread ends, and validates the next one", async () => {
  const request = () => sent(event(keys(String)));
  const failed = there("events.publishDomainEvent", request());
  await thread.close();
  expect(await failed).toMatchObject({ code: "dependency_unavailable" });
  await thread.start();
  expect(await there("events.publishDomainEvent", request())).toMatchObject({ idempotency: { key: "key" } });
});
