import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { processesOf, type ServiceName, serviceNames } from "@platform/contracts/services";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { assembleAppTree } from "./assemble-app-tree.ts";
import { placeNode, runFromTree } from "./run-from-tree.ts";

const root = resolve(import.meta.dirname, "../../../..");
type AppImage = { readonly name: string; readonly folders: readonly string[]; readonly entries: readonly string[] };

/** Returns the images of an app: its own image, and for a service also its backup image. */
function imagesOf(app: string): AppImage[] {
  const image = (...entries: string[]): AppImage => ({ name: app, folders: [`apps/${app}`], entries });
  if (app === "gateway") return [image("src/main.ts")];
  if (app === "console") return [image("src/start-server.ts")];
  return [
    image("src/migrate.ts", ...processesOfApp(app).map((process) => `src/start-${process}.ts`), "src/start-both.ts"),
    { name: `${app}-backup`, folders: [`apps/${app}`, "libs/backup"], entries: ["src/backup.ts"] },
  ];
}
/** Entry points that exit by themselves, with their arguments. */
const tasks: Readonly<Record<string, readonly string[]>> = { "src/migrate.ts": [], "src/backup.ts": ["list"] };

/**
 * Assembles the files of each app's image in a temporary folder and starts each of its processes from them, as nobody, in a folder that it may not write to,
 * with a Redis and a MongoDB. The test does not cover what a container engine adds (layers, the base image).
 * @param apps folders or names of the apps below apps/; if empty, all apps
 * @returns the problems found
 */
export async function checkImages(apps: readonly string[]): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), "images-"));
  const [node, mongo, redis] = await Promise.all([placeNode(directory), startTestMongo(), startTestRedis()]);
  const problems: string[] = [];
  try {
    const chosen =
      apps.length === 0
        ? ["gateway", "console", ...serviceNames.map((name) => `${name}-svc`)]
        : apps.map((folder) => basename(folder));
    for (const { name, folders, entries } of chosen.flatMap(imagesOf)) {
      const startedAtMs = performance.now();
      const app = basename(folders[0] ?? "");
      const tree = join(directory, name);
      await assembleAppTree(root, folders, tree);
      console.log(`assembled ${name} (${((performance.now() - startedAtMs) / 1000).toFixed(1)} s)`);
      for (const entry of entries) {
        const env = {
          MONGODB_URI: mongo.uri,
          MONGODB_DATABASE: `${mongo.database}_${app}`,
          REDIS_URL: redis.url,
          ...(await portsOf(app)),
        };
        const problem = await checkEntry({ node, directory, appDirectory: join(tree, "apps", app), entry, env });
        console.log(`${problem === null ? "ok  " : "FAIL"} ${name} ${entry}`);
        if (problem !== null) problems.push(`${name} ${entry}: ${problem}`);
      }
      await rm(tree, { recursive: true, force: true });
    }
  } finally {
    await Promise.all([mongo.close(), redis.close()]);
    await rm(directory, { recursive: true, force: true });
  }
  return problems;
}

const processesOfApp = (app: string): readonly string[] => {
  const service = serviceNames.find((name: ServiceName) => `${name}-svc` === app);
  return service === undefined ? [] : processesOf(service);
};

/** Returns the ports of an app's processes except the server, if all run in one process. */
async function portsOf(app: string): Promise<Record<string, string>> {
  const [, ...others] = processesOfApp(app);
  const ports: Record<string, string> = { BOUNCE_SMTP_PORT: `${await freePort()}` };
  for (const process of others)
    ports[`${app.toUpperCase().replaceAll("-", "_")}_${process.toUpperCase()}__PROBE_PORT`] = `${await freePort()}`;
  return ports;
}

type EntryCheck = {
  readonly node: string;
  readonly directory: string;
  readonly appDirectory: string;
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Starts one entry point; returns its problem, or null. */
async function checkEntry({ node, directory, appDirectory, entry, env }: EntryCheck): Promise<string | null> {
  // The only folder that such a process may write to, like the emptyDir of its pod.
  const scratch = join(directory, `scratch-${randomBytes(4).toString("hex")}`);
  await mkdir(scratch);
  await chmod(scratch, 0o777);
  const [probePort, apiPort] = [await freePort(), await freePort()];
  const running = runFromTree({
    node,
    appDirectory,
    entry,
    args: tasks[entry] ?? [],
    env: {
      ...env,
      PATH: "/usr/bin:/bin",
      TMPDIR: scratch,
      WORK_DIRECTORY: scratch,
      BLOB_DIRECTORY: scratch,
      BACKUP_PLACE: scratch,
      SERVICE_KEY: randomBytes(32).toString("base64"),
      OPERATOR_TOKEN: randomBytes(32).toString("hex"),
      GRPC_PORT: "0",
      HTTP_PORT: "0",
      PROBE_PORT: `${probePort}`,
      GATEWAY_PORT: `${apiPort}`,
      GATEWAY_INTERNAL_PORT: `${probePort}`,
    },
  });
  try {
    if (entry in tasks) {
      await eventually(() => running.ended() !== null, { timeoutMs: 60_000 });
      return running.ended() === "code 0" ? null : `ended with ${running.ended()}\n${running.output()}`;
    }
    // The second part may still be starting when the first one is alive. The first part is ready when both are.
    const probe = entry.endsWith("start-both.ts") ? "readyz" : "livez";
    await eventually(
      async () => running.ended() !== null || (await fetch(`http://127.0.0.1:${probePort}/${probe}`)).status === 200,
      { timeoutMs: 60_000, everyMs: 100 },
    );
    if (running.ended() !== null) return `ended with ${running.ended()}\n${running.output()}`;
    const code = await running.stop();
    return code === 0 ? null : `asked to stop, it ended with code ${code}\n${running.output()}`;
  } catch (error) {
    return `${(error as Error).message}\n${running.output()}`;
  } finally {
    if (running.ended() === null) await running.stop();
  }
}

if (import.meta.main) {
  const problems = await checkImages(process.argv.slice(2));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
