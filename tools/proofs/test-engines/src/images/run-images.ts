import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Check, createChecks } from "@platform/checks/nx/count-checks";
import type { Counts } from "@platform/checks/nx/run-ring";
import { addressVariable } from "@platform/contracts/service-addresses";
import { httpServiceNames, serviceNames } from "@platform/contracts/services";
import { startProviderSink } from "@platform/provider-sink";
import { runDemoRequests } from "@platform/stack/demo-requests";
import { runCtl } from "@platform/stack/run-ctl";
import { readEnvFile, writeEnvFile } from "@platform/stack/settings";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { startTestS3 } from "@platform/test-kit/s3";
import { baseImage, makeBaseImage } from "./base-image.ts";
import { appOf, imageOf, platformServices, restrictionsOf, runArguments } from "./containers.ts";
import { openPodman, output, type Podman } from "./podman.ts";
import { startTestProvider } from "./sign-in.ts";

/** The apps that have a database, a migration and backups. */
const serviceApps = serviceNames.map((name) => `${name}-svc`);
/** The image of a service's backups, which also contains the S3 SDK. */
const backupOf = (app: string): string => `${app}-backup`;

/**
 * Builds every image with the unchanged Dockerfile, on a base made from Debian's packages. Starts the containers of
 * compose.yaml with their restrictions, using stores on this machine, sends a request to each domain, and signs in at
 * the console.
 */
export async function runImages(installation: string, say: (text: string) => void): Promise<Counts> {
  const { check, counts } = createChecks(say);
  const folder = join(installation, "images");
  mkdirSync(folder, { recursive: true });
  const podman = openPodman(folder);
  say("making the base image");
  await makeBaseImage(podman, folder);
  const services = platformServices();
  const images = [
    ...[...new Set([...services.values()].map(appOf))].map((app) => ({ name: app, buildArguments: [`APP=${app}`] })),
    ...serviceApps.map((app) => ({ name: backupOf(app), buildArguments: [`APP=${app}`, "WITH=libs/backup"] })),
  ];
  for (const { name, buildArguments } of images) {
    const arguments_ = [...buildArguments, `BASE=${baseImage}`].flatMap((argument) => ["--build-arg", argument]);
    arguments_.push("--tag", imageOf(name));
    const machine = ["--network", "host", "--isolation", "chroot", "--layers=false", "--format", "docker"];
    const problem = await podman.run("build", ...machine, ...arguments_, repositoryRoot).then(
      () => "",
      (error: Error) => error.message,
    );
    check(`the image of ${name} builds`, problem === "", problem);
    say(`${name}: ${problem === "" ? "built" : "not built"}`);
  }
  if (counts.failed === 0)
    await runContainers(podman, services, { check, say }).catch((error: Error) =>
      check("the containers serve", false, error.stack),
    );
  return counts;
}

async function runContainers(
  podman: Podman,
  services: ReturnType<typeof platformServices>,
  { check, say }: { check: Check; say: (text: string) => void },
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "image-run-"));
  chmodSync(directory, 0o755);
  const [mongo, redis, s3, sink] = await Promise.all([
    startTestMongo(),
    startTestRedis(),
    startTestS3(),
    startProviderSink(),
  ]);
  const certificates = join(directory, "certificates");
  await output("sh", [join(repositoryRoot, "ops/compose/make-certificates.sh"), certificates]);
  const tls = (file: string): string => join(certificates, "operator", file);
  const operatorToken = randomBytes(32).toString("hex");
  const ports = new Map<string, number>();
  const port = async (name: string): Promise<string> => {
    // Chooses a port that is free and not reserved for another container.
    const taken = new Set(ports.values());
    let found = ports.get(name) ?? (await freePort());
    while (!ports.has(name) && taken.has(found)) found = await freePort();
    ports.set(name, found);
    return `${found}`;
  };
  const addresses: Record<string, string> = {};
  for (const name of serviceNames)
    addresses[addressVariable(name, "GRPC")] = `localhost:${await port(`${name}-svc grpc`)}`;
  for (const name of httpServiceNames)
    addresses[addressVariable(name, "HTTP")] = `localhost:${await port(`${name}-svc http`)}`;
  const baseUrl = `http://127.0.0.1:${await port("gateway")}`;
  const consoleUrl = `http://127.0.0.1:${await port("console")}`;
  const provider = await startTestProvider(Number(await port("provider")), consoleUrl);
  const keys = new Map(serviceNames.map((name) => [`${name}-svc`, randomBytes(32).toString("base64")]));
  const prefix = `${mongo.database}_`;
  const ofService = async (app: string): Promise<Record<string, string>> => ({
    MONGODB_URI: mongo.uri,
    MONGODB_DATABASE_PREFIX: prefix,
    SERVICE_KEY: keys.get(app) ?? "",
    SMTP_URL: sink.smtpUrl,
    GRPC_PORT: await port(`${app} grpc`),
    HTTP_PORT: await port(`${app} http`),
  });
  const envOf = async (name: string, app: string): Promise<Record<string, string>> => ({
    ...addresses,
    HOST: "127.0.0.1",
    PUBLIC_BASE_URL: baseUrl,
    REDIS_URL: redis.url,
    PROBE_PORT: await port(`${name} probe`),
    ...(app.endsWith("-svc") ? await ofService(app) : {}),
    ...(app === "gateway"
      ? { GATEWAY_PORT: await port("gateway"), GATEWAY_INTERNAL_PORT: await port(`${name} probe`) }
      : {}),
    ...(app === "console"
      ? { HTTP_PORT: await port("console"), CONSOLE_BASE_URL: consoleUrl, GATEWAY_URL: baseUrl }
      : {}),
    ...(name === "identity-svc"
      ? { OPERATOR_OIDC_ISSUER: provider.issuer, OPERATOR_OIDC_CLIENT_IDS: "platformctl,console" }
      : {}),
    ...(name === app && app.endsWith("-svc") ? { OPERATOR_TOKEN: operatorToken } : {}),
    ...(app === "files-svc" ? s3.env : {}),
    ...(app === "notify-svc" ? { FCM_BASE_URL: sink.fcmBaseUrl, FCM_TOKEN_URL: sink.fcmTokenUrl } : {}),
  });
  const started: string[] = [];
  const optionsOf = async (name: string, key = name) => {
    const service = services.get(key);
    if (service === undefined) throw new Error(`compose.yaml has no ${key}`);
    return { name, service, env: await envOf(name, appOf(service)), certificates, volumes: directory };
  };
  try {
    const runJobs = async (
      what: string,
      command: readonly string[],
      {
        env = {},
        nameOf = (app) => app,
      }: { env?: Readonly<Record<string, string>>; nameOf?: (app: string) => string } = {},
    ) => {
      for (const app of serviceApps) {
        const options = await optionsOf(`${what}-${app}`, app);
        const job = { ...options, command, env: { ...options.env, ...env }, image: imageOf(nameOf(app)) };
        const problem = await podman.run("run", "--rm", ...runArguments(job)).then(
          () => "",
          (error: Error) => error.message,
        );
        check(`the ${what} of ${app} ends well`, problem === "", problem);
      }
    };
    await runJobs("migration", ["src/migrate.ts"]);
    for (const name of services.keys()) {
      await podman.run("run", "--detach", ...runArguments(await optionsOf(name)));
      started.push(name);
    }
    for (const name of services.keys()) {
      const url = `http://127.0.0.1:${await port(`${name} probe`)}/readyz`;
      const isReady = await eventually(async () => (await fetch(url)).ok, { timeoutMs: 60_000, everyMs: 200 }).catch(
        () => false,
      );
      check(`${name} is ready`, isReady === true, await podman.story(name));
      if (isReady !== true) continue;
      const restrictions = await restrictionsOf(podman, name);
      const expected = { uid: "65534", capabilities: 0, mayGainPrivileges: false, writesRoot: false, writesTmp: true };
      const isRestricted = JSON.stringify(restrictions) === JSON.stringify(expected);
      check(`${name} is restricted`, isRestricted, JSON.stringify(restrictions));
    }
    say(`${started.length} containers are ready`);
    const health = (await (await fetch(`${baseUrl}/api/v1/health`)).json()) as { data?: { status?: string } };
    check("/health is ok", health.data?.status === "ok", JSON.stringify(health));
    const stack = join(directory, "stack");
    mkdirSync(stack);
    writeEnvFile(join(stack, "stack.env"), {
      ...addresses,
      OPERATOR_TOKEN: operatorToken,
      PUBLIC_BASE_URL: baseUrl,
      SMTP_URL: sink.smtpUrl,
    });
    for (const [variable, file] of [
      ["GRPC_TLS_CA", "ca.crt"],
      ["GRPC_TLS_CERT", "tls.crt"],
      ["GRPC_TLS_KEY", "tls.key"],
    ] as const)
      appendFileSync(join(stack, "stack.env"), `${variable}=${tls(file)}\n`);
    const ctl = (args: readonly string[]): Promise<unknown> => runCtl(stack, args);
    await ctl(["demo", "seed"]);
    const demo = readEnvFile(join(stack, "demo.env"));
    const problem = await runDemoRequests({ demo, ctl, sinkUrl: sink.httpUrl, show: say }).then(
      () => "",
      (error: Error) => error.message,
    );
    check("a request through each domain is answered", problem === "", problem);
    const page = await provider.signIn();
    const isOverview = page.status === 200 && page.html.includes("<h1>Overview");
    check(
      "a person signs in at the console",
      isOverview,
      `${page.status} ${page.html}\n${await podman.story("console")}`,
    );
    const env = { ...s3.env, BACKUP_PLACE: `s3://${s3.settings.bucket}/backups` };
    await runJobs("backup", ["src/backup.ts", "add"], { env, nameOf: backupOf });
    for (const name of [...started].reverse()) {
      await podman.run("stop", "--time", "30", name);
      const code = (await podman.run("inspect", "--format", "{{.State.ExitCode}}", name)).trim();
      check(`${name} ends well when it is asked to stop`, code === "0", `code ${code}\n${await podman.story(name)}`);
    }
  } finally {
    for (const name of started) await podman.run("rm", "--force", "--time", "1", name).catch(() => "");
    await Promise.all([mongo.close(), redis.close(), s3.close(), sink.close(), provider.close()]);
    rmSync(directory, { recursive: true, force: true });
  }
}
