import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Check, createChecks } from "@platform/checks/nx/count-checks";
import type { Counts } from "@platform/checks/nx/run-ring";
import { runDemoRequests } from "@platform/stack/demo-requests";
import { freePortBase } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { makeBaseImage } from "./base-image.ts";
import { ulimits } from "./containers.ts";
import { openPodman, type Podman } from "./podman.ts";

const base = "localhost/platform-base-redis:bookworm";
const image = "localhost/platform/platform-local:test";
const name = "platform-local";
const memoryMbMax = 1_024;

/** Output of the image when it is ready. */
type Facts = {
  readonly base_url: string;
  readonly project_client_id: string;
  readonly credential: string;
  readonly sink_url: string;
  readonly clients: readonly {
    name: string;
    id: string;
    credentials: readonly { name: string; credential: string }[];
  }[];
  readonly env: Readonly<Record<string, string>>;
};

/** The seed file of the guide's example. */
const seed = {
  clients: [
    {
      name: "Shop",
      credentials: [{ name: "ci", scopes: ["clients:read", "events:write"] }],
      catalog: {
        templates: [
          {
            key: "order-shipped",
            channel: "email",
            locale: "en",
            subject: "On its way",
            text: "It left.",
            variables: {},
          },
        ],
      },
    },
  ],
};

/**
 * Builds the image platform-local with its Dockerfile, starts it as the CI of a project would, and uses it from
 * outside, first with an empty state and then with the state of the first run.
 */
export async function runLocalImage(installation: string, say: (text: string) => void): Promise<Counts> {
  const { check, counts } = createChecks(say);
  const folder = join(installation, "images");
  mkdirSync(folder, { recursive: true });
  const podman = openPodman(folder);
  say("making the base image");
  await makeBaseImage(podman, folder, base, ["redis-server"]);
  const portBase = await freePortBase();
  const source = join(repositoryRoot, "tools/local/platform-local");
  const problem = await podman
    .run(
      ...["build", "--file", join(source, "Dockerfile"), "--ignorefile", join(source, "Dockerfile.dockerignore")],
      ...["--build-arg", `BASE=${base}`, "--build-arg", `FIRST_START_PORT=${portBase}`, "--tag", image],
      ...["--network", "host", "--isolation", "chroot", "--layers=false", "--format", "docker", repositoryRoot],
    )
    .then(
      () => "",
      (error: Error) => error.message,
    );
  check("the image builds", problem === "", problem);
  if (problem !== "") return counts;
  const size = Number(await podman.run("image", "inspect", "--format", "{{.Size}}", image)) / 1e6;
  say(`built, ${size.toFixed(0)} MB`);
  const directory = mkdtempSync(join(tmpdir(), "platform-local-"));
  try {
    await useTwice(podman, directory, portBase, { check, say });
  } catch (error) {
    check("the image serves", false, `${(error as Error).stack}\n${await podman.story(name)}`);
  } finally {
    await podman.run("rm", "--force", "--time", "1", name).catch(() => "");
    rmSync(directory, { recursive: true, force: true });
  }
  return counts;
}

async function useTwice(
  podman: Podman,
  directory: string,
  portBase: number,
  { check, say }: { readonly check: Check; readonly say: (text: string) => void },
): Promise<void> {
  const data = join(directory, "data");
  mkdirSync(data);
  chmodSync(data, 0o777);
  const seedFile = join(directory, "seed.yaml");
  writeFileSync(seedFile, JSON.stringify(seed));
  chmodSync(directory, 0o755);
  const start = async (): Promise<Facts> => {
    const startedAtMs = performance.now();
    await podman.run(
      ...["run", "--detach", "--name", name, "--network", "host", "--no-healthcheck", ...ulimits()],
      ...["--cap-drop", "all", "--security-opt", "no-new-privileges", "--env", `STACK_PORT_BASE=${portBase}`],
      ...["--volume", `${data}:/data`, "--volume", `${seedFile}:/seed.yaml:ro`, image],
    );
    const lines = await eventually(
      async () => {
        const printed = await podman.run("logs", name);
        return printed.includes("\n") ? printed.trim().split("\n") : false;
      },
      { timeoutMs: 120_000, everyMs: 100 },
    );
    const line = lines.findLast((each) => each.startsWith("{")) ?? "{}";
    say(`ready after ${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s`);
    return JSON.parse(line) as Facts;
  };

  const first = await start();
  const shop = first.clients.find((client) => client.name === "Shop");
  const answer = await fetch(`${first.base_url}/api/v1/domain-events`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${shop?.credentials[0]?.credential}`,
      "content-type": "application/json",
      "idempotency-key": "order-1",
    },
    body: JSON.stringify({ type: "order.placed", schema_version: 1, data: { order: 1 } }),
  });
  check("the seed's credential publishes an event", answer.status === 200, `${answer.status} ${await answer.text()}`);
  const ctl = (args: readonly string[]): Promise<unknown> => runCtl(data, args);
  const problem = await runDemoRequests({ demo: first.env, ctl, sinkUrl: first.sink_url, show: say }).then(
    () => "",
    (error: Error) => error.message,
  );
  check("a request through each domain is answered", problem === "", problem);
  const memory = await memoryMb(podman);
  say(`uses ${memory.toFixed(0)} MB`);
  check(`it takes at most ${memoryMbMax} MB`, memory <= memoryMbMax, `${memory.toFixed(0)} MB`);

  await podman.run("stop", "--time", "30", name);
  const code = (await podman.run("inspect", "--format", "{{.State.ExitCode}}", name)).trim();
  check("it ends well when it is asked to stop", code === "0", `code ${code}\n${await podman.story(name)}`);
  await podman.run("rm", name);
  const second = await start();
  const isSame =
    JSON.stringify([first.credential, first.clients]) === JSON.stringify([second.credential, second.clients]);
  check("a second start on its state has the same clients and credentials", isSame, JSON.stringify(second));
  const page = (await ctl(["events", "list", `--client=${shop?.id}`])) as { readonly items: readonly unknown[] };
  check("the event of the first start is still there", page.items.length === 1, JSON.stringify(page));
}

/** Returns the memory of the container's processes. Shared pages are counted once. */
async function memoryMb(podman: Podman): Promise<number> {
  const pids = (await podman.run("top", name, "hpid")).trim().split("\n").slice(1);
  const kilobytes = pids.map((pid) => {
    const text = readFileSync(`/proc/${pid.trim()}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1_024;
}
