import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Child, startChild } from "@platform/stack/child";
import { freePort } from "@platform/test-kit/free-port";
import { MongoClient } from "mongodb";
import { postgresCommand } from "./debian-root.ts";
import { type GivenStore, openGivenStore } from "./given-store.ts";
import { type Installation, run } from "./install.ts";

/** A server of MongoDB's protocol by another vendor: FerretDB in front of PostgreSQL with DocumentDB. */
export type TestStore = GivenStore & {
  /** Kills the first process of PostgreSQL, which ends all its other processes. */
  killPostgres(): Promise<void>;
  /** Starts PostgreSQL again, and waits until a write succeeds. */
  startPostgres(): Promise<void>;
};

const bin = "/usr/lib/postgresql/18/bin";
/** The folder lies inside the root, and therefore on the disk of the installation. */
const data = "/var/lib/postgresql/data";
const user = "platform";
const readyMsMax = 60_000;

/** Creates an empty database and starts both servers on free loopback ports. */
export async function startTestStore(folder: string, { root, ferretdb }: Installation): Promise<TestStore> {
  // The password contains characters that must be escaped in a URI.
  const password = `${randomBytes(12).toString("base64url")}@/:`;
  const credentials = `${user}:${encodeURIComponent(password)}`;
  const [postgresPort, mongoPort] = [await freePort(), await freePort()];
  const address = `postgres://${credentials}@127.0.0.1:${postgresPort}/postgres`;
  const uri = `mongodb://${credentials}@127.0.0.1:${mongoPort}/`;
  const logs = join(folder, "logs");
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  await makeCluster(root, password);

  // DocumentDB creates collections over its own connection to the same server, which has to log in like any other.
  const env = { ...inherited, PGPASSWORD: password };
  const start = (name: string, [command, args]: readonly [string, readonly string[]]): Child =>
    startChild({ name, command, args, env, cwd: folder, logPath: join(logs, `${name}.log`) }, () => {});
  const startPostgres = (): Child => start("postgres", postgresCommand(root, postgresArguments(postgresPort)));
  let postgres = startPostgres();
  let gateway: Child | null = null;
  let client: MongoClient | null = null;
  const stop = async (): Promise<void> => {
    await client?.close();
    await gateway?.stop();
    // SIGINT ends open sessions, whereas SIGTERM would wait for them.
    postgres.signal("SIGINT");
    await postgres.exited.catch(() => undefined);
  };
  try {
    const psql = [`${bin}/psql`, "--quiet", "--set", "ON_ERROR_STOP=1", address, "--command"];
    await succeeds("PostgreSQL", () => run(...postgresCommand(root, [...psql, "SELECT 1"])));
    await run(...postgresCommand(root, [...psql, "CREATE EXTENSION documentdb CASCADE"]));
    const options = ["--listen-addr", `127.0.0.1:${mongoPort}`, "--state-dir", folder];
    // Fewer connections than the default of 50, because after a kill PostgreSQL has to start a process for each of them
    // on two cores.
    const pooled = `${address}?pool_max_conns=24`;
    gateway = start("ferretdb", [
      ferretdb,
      [...options, "--postgresql-url", pooled, "--debug-addr=-", "--telemetry=disable", "--log-level=WARN"],
    ]);
    const connected = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000, maxPoolSize: 2 });
    client = connected;
    const isWritable = () => connected.db("test_store").collection("probes").insertOne({});
    await succeeds("FerretDB", isWritable);
    const given = await openGivenStore(uri);
    return {
      killPostgres: async () => {
        // Kills all of its processes, like a machine failure. The process of pg_cron does not notice the end of its
        // parent while jobs are due, and keeps the shared memory.
        for (const pid of descendantsOf(postgres.pid)) killIfThere(pid);
        await postgres.exited;
      },
      startPostgres: async () => {
        // The previous server may keep its shared memory for a moment, and the next one refuses to start meanwhile.
        await succeeds("PostgreSQL", async () => {
          if (!postgres.isRunning()) postgres = startPostgres();
          await isWritable();
        });
      },
      uri,
      empty: given.empty,
      stop: async () => {
        await given.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates a new database cluster that requires a password, and replaces that of the previous run. */
async function makeCluster(root: string, password: string): Promise<void> {
  refuseWhileInUse(join(root, data, "postmaster.pid"));
  rmSync(join(root, data), { recursive: true, force: true });
  const initdb = `${bin}/initdb --pgdata=${data} --username=${user} --auth=scram-sha-256 --pwfile="$file" --encoding=UTF8 --locale=C.UTF-8`;
  const script = `file=$(mktemp) && printf %s "$PASSWORD" > "$file" && ${initdb}; code=$?; rm -f "$file"; exit $code`;
  await run(...postgresCommand(root, ["sh", "-c", script]), { PASSWORD: password });
}

/** Returns a process and its descendants. Parents come first, so that none starts another child. */
function descendantsOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(path) ? readFileSync(path, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
  return [pid, ...children.flatMap(descendantsOf)];
}

/** Some processes end by themselves once their parent has ended. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function refuseWhileInUse(pidFile: string): void {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8").split("\n")[0]) : 0;
  if (pid > 0 && existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data)) {
    throw new Error(`process ${pid} of another make test-store still uses ${pidFile}`);
  }
}

function postgresArguments(port: number): string[] {
  const settings = {
    port: `${port}`,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    shared_preload_libraries: "pg_cron,pg_documentdb_core,pg_documentdb",
    "cron.database_name": "postgres",
    // DocumentDB's jobs (expiry of documents, building of indexes) log in separately, which needs a password.
    "cron.use_background_workers": "on",
    max_worker_processes: "32",
    max_connections: "200",
    shared_buffers: "512MB",
    // DocumentDB implements a unique index as an exclusion constraint: concurrent inserts of one key wait for each
    // other until one is aborted.
    deadlock_timeout: "100ms",
    fsync: "on",
    synchronous_commit: "on",
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return [`${bin}/postgres`, "-D", data, ...options];
}

async function succeeds(what: string, attempt: () => Promise<unknown>): Promise<void> {
  for (const until = performance.now() + readyMsMax; ; await delay(50)) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() > until)
        throw new Error(`${what} was not ready within ${readyMsMax / 1_000} s`, { cause: error });
    }
  }
}

const inherited = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
