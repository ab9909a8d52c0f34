import { beforeEach, describe, expect, test } from "vitest";
import { createFakePlatform, type FakePlatform } from "./index.ts";

let platform: FakePlatform;
beforeEach(() => {
  platform = createFakePlatform();
});

describe("numbers that JavaScript would write differently", () => {
  const data =
    '{"far":[-1e400,1E400,1e-400],"id":9007199254740993,"price":1.10,"__proto__":{"n":-0,"e":1E+2},"p":0.1234567890123456789}';
  const publish = async (body: string) => {
    const headers = {
      authorization: `Bearer ${platform.credential}`,
      "content-type": "application/json",
      "idempotency-key": "numbers",
    };
    return platform.fetch(`${platform.baseUrl}/api/v1/domain-events`, { method: "POST", headers, body });
  };
  const bodyWith = (members: string) => JSON.stringify({ type: "order.placed" }).replace("}", `,${members}}`);

  test("returns the caller's own numbers with their digits, also on a repeat", async () => {
    const body = bodyWith(`"schema_version":1,"data":${data}`);
    const answers = [await publish(body), await publish(body)];
    for (const answer of answers) expect(await answer.text()).toContain(`"data":${data}`);
    expect(answers.map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(platform.events[0]?.data).toMatchObject({ far: [-Infinity, Infinity, 0], price: 1.1 });
    expect(platform.requests[0]?.body).toMatchObject({ data: { price: 1.1 } });
  });

  test("treats a request under the same key as a different one when only a digit beyond a double differs", async () => {
    const bodyOf = (id: string) => bodyWith(`"schema_version":1,"data":{"id":${id}}`);
    expect((await publish(bodyOf("9007199254740993"))).status).toBe(200);
    expect(await (await publish(bodyOf("9007199254740992"))).text()).toContain("idempotency_key_reused");
  });

  test("rejects inexact numbers in members that the platform reads", async () => {
    const answer = await publish(bodyWith('"schema_version":1.00000000000000000001,"data":{}'));
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('"path":"/schema_version"');
  });
});
