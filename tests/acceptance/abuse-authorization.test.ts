import { randomUUID } from "node:crypto";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { scopes } from "@platform/contracts/scopes";
import { beforeAll, describe, expect, test } from "vitest";
import { ctl } from "./stack.ts";
import { credentialFor, type OperationRequest, send } from "./walk/operation-request.ts";
import { newProject, type Project } from "./walk/project.ts";
import { workingRequests } from "./walk/working-requests.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const correlationId = randomUUID();

/** A place of a request that holds an id, and the request with another id there. */
type IdPlace = {
  readonly name: string;
  readonly id: string;
  readonly replace: (request: OperationRequest, id: string) => OperationRequest;
};

function idPlacesOf(request: OperationRequest): IdPlace[] {
  const placesIn = (part: "params" | "body"): IdPlace[] =>
    Object.entries(request[part] ?? {})
      .filter((entry): entry is [string, string] => typeof entry[1] === "string" && uuid.test(entry[1]))
      .map(([name, id]) => ({
        name: `${part}.${name}`,
        id,
        replace: (given, other) => ({ ...given, [part]: { ...given[part], [name]: other } }),
      }));
  return [...placesIn("params"), ...placesIn("body")];
}

let victim: Project;
let attacker: Project;
/** A credential of the attacker for each scope, with that one only. */
let byScope: ReadonlyMap<string, string>;
beforeAll(async () => {
  [victim, attacker] = await Promise.all([newProject(), newProject()]);
  const issued = scopes.map(async (scope) => {
    const { credential } = await ctl(["credentials", "issue", "--client", attacker.client.id, "--scopes", scope]);
    return [scope, credential] as const;
  });
  byScope = new Map(await Promise.all(issued));
});

const scoped = operationList.filter(({ auth }) => auth.scheme === "projectCredential");
const medianMs: { operation: string; absent: number; anothers: number }[] = [];

async function answerTo(operation: NamedOperation, request: OperationRequest, credential: string | null) {
  const startedAtMs = performance.now();
  const reply = await send(operation, request, { credential, headers: { "x-correlation-id": correlationId } });
  const names = [...reply.headers.keys()].filter((name) => name !== "connection");
  return { durationMs: performance.now() - startedAtMs, answer: { status: reply.status, names, text: reply.text } };
}

/**
 * Broken object-level and function-level authorization (OWASP API1 and API5 of 2023; unkey's 403_existence_leak_test): whoever asks for
 * another's object must learn no more than that of an id nobody has.
 */
describe.each(scoped)("$id", (operation) => {
  test("answers another Project Client's id exactly like one that nobody has, and does nothing to it", async () => {
    const theirs = await workingRequests[operation.id](victim);
    const own = await workingRequests[operation.id](attacker);
    const ownIds = idPlacesOf(own).map(({ id }) => id);
    // An id both can use, such as an operator's preset, is no one's own.
    const places = idPlacesOf(theirs).filter(({ id }) => !ownIds.includes(id) && id !== theirs.body?.correlation_id);
    for (const { name, id, replace } of places) {
      const credential = credentialFor(operation, own, attacker.client.credential);
      const anothers = await answerTo(operation, replace(own, id), credential);
      const absent = await answerTo(operation, replace(own, randomUUID()), credential);
      expect({ name, ...anothers.answer }).toEqual({ name, ...absent.answer });
      expect(absent.answer.status).toBeGreaterThanOrEqual(400);
    }
    // All of their request, as its owner would send it, is refused too.
    if (places.length > 0) {
      const whole = await answerTo(operation, theirs, attacker.client.credential);
      expect(whole.answer.status).toBeGreaterThanOrEqual(400);
    }
    const untouched = await send(operation, theirs, { credential: victim.client.credential });
    expect({ status: untouched.status, text: untouched.text }).toMatchObject({ status: operation.status });
  });

  test("answers every wrong scope alike, whoever the object belongs to", async () => {
    const required = operation.auth.scheme === "projectCredential" ? operation.auth.scope : "";
    const [theirs, own] = [await workingRequests[operation.id](victim), await workingRequests[operation.id](attacker)];
    const absent = idPlacesOf(own).reduce((request, { replace }) => replace(request, randomUUID()), own);
    const wrong = scopes.filter((scope) => scope !== required);
    const answers = await Promise.all(
      wrong.flatMap((scope) =>
        [theirs, own, absent].map(async (request) => {
          const { answer } = await answerTo(operation, request, byScope.get(scope) ?? null);
          return `${answer.status} ${answer.text}`;
        }),
      ),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^403 .*insufficient_scope/);
  });
});

/** Operations whose path names an object of the Project Client's. */
const named = scoped.filter(({ path }) => path.includes("Id}"));

describe.each(named)("$id", (operation) => {
  test("takes its time alike (reported, not judged)", async () => {
    const [theirs, own] = [await workingRequests[operation.id](victim), await workingRequests[operation.id](attacker)];
    const place = idPlacesOf(theirs).find(({ name }) => name.startsWith("params."));
    if (place === undefined) throw new Error("the path names an object");
    const median = async (idOf: () => string): Promise<number> => {
      const times: number[] = [];
      for (let n = 0; n < 15; n += 1) {
        const { durationMs } = await answerTo(operation, place.replace(own, idOf()), attacker.client.credential);
        times.push(durationMs);
      }
      return Math.round((times.sort((a, b) => a - b)[7] ?? 0) * 100) / 100;
    };
    const [absent, anothers] = [await median(randomUUID), await median(() => place.id)];
    medianMs.push({ operation: operation.id, absent, anothers });
    process.stdout.write(`median of an id nobody has ${absent} ms, of another's ${anothers} ms: ${operation.id}\n`);
    expect(Number.isFinite(absent + anothers)).toBe(true);
  });
});

describe("the matrix", () => {
  test("has an object of another's for every operation whose path names one", () => {
    expect(medianMs.map(({ operation }) => operation)).toEqual(named.map(({ id }) => id));
  });
});
