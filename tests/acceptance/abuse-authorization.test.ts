import { randomUUID } from "node:crypto";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { scopes } from "@platform/contracts/scopes";
import type { ReceivedSpan } from "@platform/test-kit/trace-receiver";
import { beforeAll, describe, expect, test } from "vitest";
import { type TracedRequest, tracesOf } from "./abuse/request-traces.ts";
import { acceptanceStack, ctl } from "./stack.ts";
import { credentialFor, type OperationRequest, send } from "./walk/operation-request.ts";
import { newProject, type Project } from "./walk/project.ts";
import { workingRequests } from "./walk/working-requests.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const correlationId = randomUUID();

/** The position of an id in a request, and a function that returns the request with a different id at that position. */
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

/** Returns the name of the path parameter that identifies an object. */
function foreignPlace(theirs: OperationRequest): IdPlace {
  const place = idPlacesOf(theirs).find(({ name }) => name.startsWith("params."));
  if (place === undefined) throw new Error("the path names an object");
  return place;
}

let victim: Project;
let attacker: Project;
/** Credentials of the attacker, by scope. Each has only that scope. */
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
/** Ids of the operations that were tested with an object of another client. */
const crossed: string[] = [];

async function answerTo(operation: NamedOperation, request: OperationRequest, credential: string | null) {
  const startedAtMs = performance.now();
  const reply = await send(operation, request, { credential, headers: { "x-correlation-id": correlationId } });
  const names = [...reply.headers.keys()].filter((name) => name !== "connection");
  return { durationMs: performance.now() - startedAtMs, answer: { status: reply.status, names, text: reply.text } };
}

/**
 * Broken object-level and function-level authorization (OWASP API1 and API5 of 2023; unkey's 403_existence_leak_test): a request for another client's
 * object must reveal no more than one for an unknown id.
 */
describe.each(scoped)("$id", (operation) => {
  test("treats another Project Client's id exactly like an unknown one, and changes nothing", async () => {
    const theirs = await workingRequests[operation.id](victim);
    const own = await workingRequests[operation.id](attacker);
    const ownIds = idPlacesOf(own).map(({ id }) => id);
    // Ids that both clients may use, for example an operator's preset, belong to neither client and are not tested.
    const places = idPlacesOf(theirs).filter(({ id }) => !ownIds.includes(id) && id !== theirs.body?.correlation_id);
    for (const { name, id, replace } of places) {
      const credential = credentialFor(operation, own, attacker.client.credential);
      const anothers = await answerTo(operation, replace(own, id), credential);
      const absent = await answerTo(operation, replace(own, randomUUID()), credential);
      expect({ name, ...anothers.answer }).toEqual({ name, ...absent.answer });
      expect(absent.answer.status).toBeGreaterThanOrEqual(400);
      crossed.push(operation.id);
    }
    // Here the whole request belongs to another client. It must be rejected, too.
    if (places.length > 0) {
      const whole = await answerTo(operation, theirs, attacker.client.credential);
      expect(whole.answer.status).toBeGreaterThanOrEqual(400);
    }
    const untouched = await send(operation, theirs, { credential: victim.client.credential });
    expect({ status: untouched.status, text: untouched.text }).toMatchObject({ status: operation.status });
  });

  test("rejects every wrong scope in the same way, for the client's own and another client's object", async () => {
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

/**
 * Operations whose path names an object of a Project Client. Operations with a Platform Session are excluded, because a
 * session belongs to no client.
 */
const named = scoped.filter(({ path }) => path.includes("Id}"));
const { secondBaseUrl, tracedAs, tracesUrl } = acceptanceStack;

describe.runIf(tracesUrl !== "")("the work done for another's id", () => {
  /** Calls and queries by operation, for alternating requests with an unknown id and with another client's id. */
  const work = new Map<string, string[][]>();

  beforeAll(async () => {
    const asked = await Promise.all(
      named.map(async (operation) => {
        const [theirs, own] = [
          await workingRequests[operation.id](victim),
          await workingRequests[operation.id](attacker),
        ];
        const place = foreignPlace(theirs);
        const requests: TracedRequest[] = [];
        // The first request authenticates the credential, so its work is not compared.
        for (const id of [randomUUID(), randomUUID(), place.id, randomUUID(), place.id]) {
          const { credential } = attacker.client;
          const { headers } = await send(operation, place.replace(own, id), { credential, baseUrl: secondBaseUrl });
          const correlationId = headers.get("x-correlation-id") ?? "";
          requests.push({ correlationId, service: tracedAs(`${operation.upstream}-svc`) });
        }
        return { id: operation.id, requests };
      }),
    );
    const traces = await tracesOf(
      tracesUrl,
      asked.flatMap(({ requests }) => requests),
    );
    for (const { id, requests } of asked) {
      const [, ...compared] = traces.splice(0, requests.length);
      const namesOf = (spans: readonly ReceivedSpan[]) =>
        spans.map(({ service, name }) => `${service} ${name}`).toSorted();
      work.set(id, compared.map(namesOf));
    }
  });

  test.each(named)("$id: makes the same calls and queries for another client's id as for an unknown one", ({ id }) => {
    const done = work.get(id) ?? [];
    expect(done[0]?.join()).toMatch(/ find /);
    expect(done).toEqual(Array(4).fill(done[0]));
  });
});

/** Number of timed requests of each kind. The kinds alternate. */
const pairs = 40;

const medianOf = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

describe.each(named)("$id", (operation) => {
  // The test fails only if a sign test is significant and the difference is large enough for an outsider to measure. If
  // both kinds take equally long, 37 of 40 pairs favour one side less than once in ten million runs. A slow or busy
  // machine slows both kinds alike.
  test("rejects another client's id in the same time as an unknown one", async () => {
    const [theirs, own] = [await workingRequests[operation.id](victim), await workingRequests[operation.id](attacker)];
    const place = foreignPlace(theirs);
    const { credential } = attacker.client;
    const timed = async (id: string) => (await answerTo(operation, place.replace(own, id), credential)).durationMs;
    const [anothersMs, absentMs]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < pairs; pair += 1) {
      // Every second pair is sent in reverse order.
      const isFirst = pair % 2 === 0;
      if (isFirst) anothersMs.push(await timed(place.id));
      absentMs.push(await timed(randomUUID()));
      if (!isFirst) anothersMs.push(await timed(place.id));
    }
    const slower = anothersMs.filter((ms, pair) => ms > (absentMs[pair] ?? 0)).length;
    const [anothers, absent] = [medianOf(anothersMs), medianOf(absentMs)];
    const isLopsided = Math.max(slower, pairs - slower) >= 37 && Math.abs(anothers - absent) > absent / 4;
    expect({ slower, of: pairs, anothers, absent, isLopsided }).toMatchObject({ isLopsided: false });
  });
});

describe("the matrix", () => {
  test("covers every operation whose path names an object with another client's object", () => {
    expect(crossed).toEqual(expect.arrayContaining(named.map(({ id }) => id)));
  });
});
