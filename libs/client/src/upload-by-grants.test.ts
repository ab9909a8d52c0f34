import { describe, expect, test } from "vitest";
import { ConnectionError, PlatformError } from "./errors.ts";
import { sendByGrants, type UploadGrants, type UploadRequest } from "./upload-by-grants.ts";

const request: UploadRequest = {
  expected_sha256: "0".repeat(64),
  expected_content_type: "text/plain",
  maximum_bytes: 5,
};
const lost = new ConnectionError("broke", { gaveUp: "connection" });
const refusal = (code: PlatformError["code"], retryable = false) =>
  new PlatformError({
    code,
    status: 422,
    retryable,
    correlationId: "c",
    details: {},
    message: code,
    retryAfterSeconds: null,
  });
const spent = refusal("upload_token_invalid");

/** A platform whose uploads and completions have these outcomes, one after the other; the last one is repeated. */
async function upload(puts: readonly (Error | null)[], arrivals: readonly boolean[] = [false]) {
  const asked: string[] = [];
  let granted = 0;
  const next = <T>(list: readonly T[], kind: string): T | undefined =>
    list[Math.min(asked.filter((each) => each.startsWith(kind)).length, list.length) - 1];
  const grants: UploadGrants = {
    create: async () => {
      granted += 1;
      asked.push(`grant ${granted}`);
      return { file_object_id: `f${granted}`, upload_token: `t${granted}` };
    },
    complete: async (id) => {
      asked.push(`complete ${id}`);
      return next(arrivals, "complete") === true ? { status: "quarantined", rejection_reason: null } : null;
    },
  };
  const put = async (token: string) => {
    asked.push(`put ${token}`);
    const outcome = next(puts, "put");
    if (outcome instanceof Error) throw outcome;
  };
  const outcome = await sendByGrants(request, { grants, put, signal: undefined, wait: async () => {} }).catch(
    (error: unknown) => error,
  );
  return { outcome, asked };
}

describe("sendByGrants", () => {
  test("uploads once when the response arrives", async () => {
    expect(await upload([null])).toEqual({ outcome: "f1", asked: ["grant 1", "put t1"] });
  });

  test("does not upload again when the bytes have arrived and only the response was lost", async () => {
    expect(await upload([lost], [true])).toEqual({ outcome: "f1", asked: ["grant 1", "put t1", "complete f1"] });
  });

  test("tries the old token again before it asks for a new grant", async () => {
    expect(await upload([lost, null])).toEqual({
      outcome: "f1",
      asked: ["grant 1", "put t1", "complete f1", "put t1"],
    });
  });

  test("asks for a new grant once the old token is used up and its bytes have not arrived", async () => {
    expect(await upload([lost, spent, null])).toEqual({
      outcome: "f2",
      asked: ["grant 1", "put t1", "complete f1", "put t1", "complete f1", "grant 2", "put t2"],
    });
  });

  test("requests no new grant when a slow server has completed the first try", async () => {
    expect(await upload([lost, refusal("dependency_unavailable", true), spent], [false, false, true])).toEqual({
      outcome: "f1",
      asked: ["grant 1", "put t1", "complete f1", "put t1", "complete f1", "put t1", "complete f1"],
    });
  });

  test("throws a refusal of the file without another try", async () => {
    const refused = refusal("upload_checksum_mismatch");
    expect(await upload([refused])).toEqual({ outcome: refused, asked: ["grant 1", "put t1"] });
  });

  test("gives up after four tries of a grant, and after three grants", async () => {
    const broken = await upload([lost]);
    expect(broken.outcome).toBe(lost);
    expect(broken.asked.filter((each) => each === "put t1")).toHaveLength(4);
    expect(broken.asked).not.toContain("grant 2");
    const refused = await upload([spent]);
    expect(refused.outcome).toBe(spent);
    expect(refused.asked.filter((each) => each.startsWith("grant"))).toHaveLength(3);
  });
});
