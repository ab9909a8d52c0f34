import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { allPorts, stackPorts } from "@platform/stack/ports";
import { readEnvFile } from "@platform/stack/settings";
import { eventually } from "@platform/test-kit/eventually";
import { beforeAll, describe, expect, test } from "vitest";
import { type TracedRequest, tracesOf } from "./abuse/request-traces.ts";
import {
  findSecrets,
  type Haystack,
  logContents,
  metricsContents,
  mongoContents,
  redisContents,
  type Secret,
  secretOf,
  traceContents,
} from "./abuse/secret-search.ts";
import { acceptanceStack } from "./stack.ts";
import { credentialFor, send } from "./walk/operation-request.ts";
import { newProject, type Project } from "./walk/project.ts";
import { forgetUsed, usedAddresses, usedSecrets, workingRequests } from "./walk/working-requests.ts";

const { directory, tracesUrl } = acceptanceStack;
const settings = readEnvFile(join(directory, "stack.env"));
const ports = stackPorts(Number(settings.STACK_PORT_BASE));

let project: Project;
let secrets: readonly Secret[];
let addresses: readonly Secret[];

// Executes every operation once, so that every secret has passed through all components.
beforeAll(async () => {
  forgetUsed();
  project = await newProject();
  const given = new Map<string, string>();
  const replies = await Promise.all(
    operationList.map(async (operation) => {
      const request = await workingRequests[operation.id](project);
      const credential = credentialFor(operation, request, project.client.credential);
      // The requests go through the gateway that is traced, so that the search covers traces.
      const reply = await send(operation, request, { credential, baseUrl: acceptanceStack.secondBaseUrl });
      for (const [name, value] of Object.entries(reply.json?.data ?? {})) {
        if (/token|download_url/.test(name) && typeof value === "string")
          given.set(`${name} answered by ${operation.id}`, value);
      }
      expect(reply.status, `${operation.id} ${reply.text}`).toBe(operation.status);
      const service = isServed(operation) ? acceptanceStack.tracedAs(`${operation.upstream}-svc`) : null;
      return { correlationId: reply.headers.get("x-correlation-id") ?? "", service };
    }),
  );
  if (tracesUrl !== "") {
    await tracesOf(tracesUrl, [...replies, ...(await Promise.all(pages.map(askForPage)))]);
    await Promise.all(tracedProcesses.map(leavesTraces));
  }
  const stackSecrets = JSON.parse(readFileSync(join(directory, "secrets.json"), "utf8"));
  const { operatorToken, serviceKeys } = stackSecrets as { operatorToken: string; serviceKeys: Record<string, string> };
  secrets = [
    secretOf("the Project Credential", project.client.credential),
    secretOf("the demo project's credential", acceptanceStack.credential),
    secretOf("the FCM profile's private key", project.fcmPrivateKey),
    secretOf("the SMTP password", project.smtpPassword),
    secretOf("the operator token", operatorToken),
    ...Object.entries(serviceKeys).map(([service, key]) => secretOf(`the key of ${service}`, key)),
    ...[...given].map(([name, value]) => secretOf(name, value.split("/").at(-1) ?? value)),
    ...[...usedSecrets].map((value) => secretOf(`a secret beginning with ${value.slice(0, 13)}`, value)),
  ];
  addresses = [...usedAddresses].map((value) => secretOf("an address of a Delivery Endpoint", value));
});

/** True if the gateway calls a service for the operation. The operation that validates a catalog needs no service. */
const isServed = ({ id, upstream }: NamedOperation): boolean =>
  upstream !== "edge" && id !== "notify.validateNotificationCatalog";

/** Paths that are not operations, each with the service that serves it. */
const pages = [
  ["/api/v1/identity-migration/sign-in", "identity-svc"],
  ["/api/v1/file-downloads/none", "files-svc"],
  ["/api/v1/unsubscribe/none", "notify-svc"],
] as const;

const askForPage = async ([path, service]: (typeof pages)[number]): Promise<TracedRequest> => {
  const correlationId = crypto.randomUUID();
  const answer = await fetch(`${acceptanceStack.secondBaseUrl}${path}`, {
    headers: { "x-correlation-id": correlationId },
  });
  expect(answer.headers.get("x-correlation-id")).toBe(correlationId);
  return { correlationId, service: acceptanceStack.tracedAs(service) };
};

/** Operations whose spans must have been exported before the traces are searched. */
const tracedProcesses = [
  "gateway-2",
  ...["identity-svc", "files-svc", "notify-svc", "notify-svc-worker", "events-svc", "ads-svc"].map(
    acceptanceStack.tracedAs,
  ),
];

/**
 * Waits for the spans of all processes. Each process exports its own every few seconds, and a delivery takes place
 * after its request.
 */
const leavesTraces = (process: string): Promise<unknown> =>
  eventually(async () => (await findSecrets(traceContents(tracesUrl), knownToBe(`"${process}"`))).length > 0, {
    everyMs: 200,
    what: `a trace of ${process}`,
  });

/** Creates a search for a value that is known to be stored. The search must find it, which shows that the search works. */
const knownToBe = (what: string): Secret[] => [{ name: "control", forms: [Buffer.from(what)] }];

type Place = readonly [string, () => AsyncGenerator<Haystack>, () => string];

const tracesPlace: Place = ["the traces", () => traceContents(tracesUrl), () => project.client.id];

const places: readonly Place[] = [
  [
    "MongoDB",
    () => mongoContents(settings.MONGODB_URI ?? "", settings.MONGODB_DATABASE_PREFIX ?? ""),
    () => project.client.id,
  ],
  ["Redis", () => redisContents(settings.REDIS_URL ?? ""), () => project.client.id],
  ["the logs", () => logContents(directory), () => project.client.id],
  [
    "the metrics",
    () => metricsContents(allPorts(ports).filter((port) => metricsPorts.includes(port))),
    () => "events.publishDomainEvent",
  ],
  ...(tracesUrl === "" ? [] : [tracesPlace]),
];
const services = [ports.identity, ports.files, ports.notify, ports.events, ports.ads];
const metricsPorts = [
  ports.gatewayInternal,
  ports.secondGatewayInternal,
  ...services.flatMap(({ serverProbe, workerProbe }) => [serverProbe, workerProbe]),
];

describe.each(places)("the secrets in %s", (_name, contents, control) => {
  test("finds a value that is stored on purpose", async () => {
    expect(await findSecrets(contents(), knownToBe(control()))).not.toEqual([]);
  });

  test("finds none of the secrets used by any operation", async () => {
    expect(secrets.length).toBeGreaterThan(30);
    expect(await findSecrets(contents(), secrets)).toEqual([]);
  });
});

describe.each(places.filter(([name]) => name !== "MongoDB"))("the addresses in %s", (_name, contents) => {
  test("finds no push address", async () => {
    expect(addresses.length).toBeGreaterThan(3);
    expect(await findSecrets(contents(), addresses)).toEqual([]);
  });
});
