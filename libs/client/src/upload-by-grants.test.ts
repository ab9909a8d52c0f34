import { describe, expect, test } from "vitest";
import { ConnectionError, PlatformError } from "./errors.ts";
import { awaitVerdict, sendByGrants, type UploadGrants, type UploadRequest } from "./upload-by-grants.ts";

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

/** A platform whose uploads and completions have these outcomes in order; the last one is repeated. */
async function upload(puts: readonly (Error | null)[], arrivals: readonly (boolean | Error)[] = [false]) {
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
      const arrival = next(arrivals, "complete");
      if (arrival instanceof Error) throw arrival;
      return arrival === true ? { status: "quarantined", rejection_reason: null } : null;
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

const timedOut = refusal("deadline_exceeded", true);

describe("awaitVerdict", () => {
  const grantsOf = (answers: readonly (string | Error | null)[]): UploadGrants & { readonly asked: () => number } => {
    let asked = 0;
    return {
      asked: () => asked,
      create: async () => ({ file_object_id: "f", upload_token: "t" }),
      complete: async () => {
        const answer = answers[Math.min(asked++, answers.length - 1)];
        if (answer instanceof Error) throw answer;
        return answer == null ? null : { status: answer as "available", rejection_reason: null };
      },
    };
  };

  test("polls again after a timeout and after a lost connection", async () => {
    const grants = grantsOf([timedOut, "quarantined", lost, "available"]);
    expect(await awaitVerdict(grants, "f", {})).toEqual({ status: "available", fileObjectId: "f" });
    expect(grants.asked()).toBe(4);
  });

  test("returns the last known state when the time is up", async () => {
    const grants = grantsOf(["quarantined", timedOut]);
    expect(await awaitVerdict(grants, "f", { timeoutMs: 120 })).toEqual({ status: "quarantined", fileObjectId: "f" });
  });

  test("throws the last error when no attempt got a response", async () => {
    await expect(awaitVerdict(grantsOf([timedOut]), "f", { timeoutMs: 120 })).rejects.toBe(timedOut);
  });

  test("throws a refusal immediately", async () => {
    const refused = refusal("file_object_not_found");
    const grants = grantsOf([refused]);
    await expect(awaitVerdict(grants, "f", {})).rejects.toBe(refused);
    expect(grants.asked()).toBe(1);
  });
});

describe("sendByGrants", () => {
  test("queries the state of an upload again when the first query timed out", async () => {
    expect(await upload([lost, spent], [timedOut, true])).toEqual({
      outcome: "f1",
      asked: ["grant 1", "put t1", "complete f1", "put t1", "complete f1"],
    });
  });

  test("requests no new grant while it is uncertain whether a consumed token has stored the bytes", async () => {
    expect((await upload([lost, spent], [timedOut, timedOut, true])).asked).toEqual([
      "grant 1", "put t1", "complete f1", "put t1", "complete f1", "put t1", "complete f1",
    ]); // biome-ignore format: one step after the other
  });

  test("uploads once when the response arrives", async () => {
    expect(await upload([null])).toEqual({ outcome: "f1", asked: ["grant 1", "put t1"] });
  });

  test("does not upload again when the bytes have arrived and only the response was lost", async () => {
    expect(await upload([lost], [true])).toEqual({ outcome: "f1", asked: ["grant 1", "put t1", "complete f1"] });
  });

  test("tries the old token again before it requests a new grant", async () => {
    expect(await upload([lost, null])).toEqual({
      outcome: "f1",
      asked: ["grant 1", "put t1", "complete f1", "put t1"],
    });
  });

  test("requests a new grant once the old token is consumed and its bytes have not arrived", async () => {
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
