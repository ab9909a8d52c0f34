import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { jobOf, podOf } from "./manifests/pod-rules.ts";
import { type KubernetesObject, renderer, renderOverlay } from "./manifests/render-overlay.ts";
import { readSource, repositoryRoot } from "./source-files.ts";

const folder = "tools/containers";

/** Creates a copy of the scripts, with programs that replace Docker, kind and kubectl and only record their calls. */
function laidOut() {
  const root = mkdtempSync(join(tmpdir(), "container-scripts-"));
  cpSync(join(repositoryRoot, folder), join(root, folder), { recursive: true });
  const bin = join(root, "bin");
  const log = join(root, "calls");
  mkdirSync(bin);
  writeFileSync(log, "");
  for (const program of ["docker", "kind", "kubectl"]) {
    const path = join(bin, program);
    // No Secret exists yet.
    writeFileSync(path, `#!/bin/sh\necho "${program} $*" >> ${log}\ncase "$*" in *"get secret"*) exit 1 ;; esac\n`);
    chmodSync(path, 0o755);
  }
  return {
    root,
    run: (script: string, ...args: string[]) => {
      execFileSync("bash", [join(root, folder, script), ...args], {
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
        stdio: "pipe",
      });
      return readFileSync(log, "utf8").trim().split("\n");
    },
  };
}

test.each(readdirSync(join(repositoryRoot, folder)))("accepts %s as valid shell", (name) => {
  execFileSync("bash", ["-n", join(repositoryRoot, folder, name)], { stdio: "pipe" });
});

describe.skipIf(renderer === null)("kind.sh", () => {
  let local: readonly KubernetesObject[];
  beforeAll(async () => {
    local = await renderOverlay("k8s/overlays/local");
  }, 60_000);

  test("creates each Secret with exactly the keys that the overlay local requires", () => {
    const calls = laidOut().run("kind.sh", "up");
    const made = new Map(
      calls
        .filter((call) => call.includes("-n platform-local create secret generic"))
        .map((call) => [
          / generic (\S+)/.exec(call)?.[1] ?? "",
          [...call.matchAll(/--from-literal=(\w+)=/g)].map(([, key = ""]) => key).toSorted(),
        ]),
    );
    const wanted = new Map<string, { required: Set<string>; known: Set<string> }>();
    for (const object of local) {
      if (object.kind !== "Deployment" && object.kind !== "CronJob") continue;
      const { containers, initContainers = [] } = podOf(object.kind === "CronJob" ? jobOf(object) : object).spec;
      for (const { valueFrom } of [...containers, ...initContainers].flatMap(({ env = [] }) => env)) {
        const reference = valueFrom?.secretKeyRef;
        if (reference === undefined) continue;
        const keys = wanted.get(reference.name) ?? { required: new Set(), known: new Set() };
        keys.known.add(reference.key);
        if (reference.optional !== true) keys.required.add(reference.key);
        wanted.set(reference.name, keys);
      }
    }
    expect([...made.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
    for (const [name, { required, known }] of wanted) {
      const keys = made.get(name) ?? [];
      expect([name, [...required].filter((key) => !keys.includes(key))]).toEqual([name, []]);
      expect([name, keys.filter((key) => !known.has(key))]).toEqual([name, []]);
    }
  }, 60_000);

  test("loads every image of the overlay, and starts the stores before the platform", () => {
    const calls = laidOut().run("kind.sh", "up");
    const loaded = calls.filter((call) => call.startsWith("kind load")).map((call) => call.split(" ").at(-1));
    const images = local
      .filter(({ kind }) => ["Deployment", "CronJob"].includes(kind))
      .map((object) => podOf(object.kind === "CronJob" ? jobOf(object) : object).spec.containers[0]?.image);
    expect(new Set(loaded)).toEqual(new Set(images));
    const at = (part: string): number => calls.findIndex((call) => call.includes(part));
    expect(at("apply --server-side -k k8s/dev-stores")).toBeGreaterThan(0);
    expect(at("-n platform-stores wait")).toBeLessThan(at("apply --server-side -k k8s/overlays/local"));
  }, 60_000);
});

test("creates every secret that compose.yaml requires, readable only by its owner", () => {
  const { root, run } = laidOut();
  const calls = run("compose.sh", "up");
  expect(calls.at(-1)).toMatch(/^docker compose .*up --build --wait/);
  const path = join(root, ".local/compose/.env");
  const made = [...readFileSync(path, "utf8").matchAll(/^(\w+)=\S{20,}$/gm)].map(([, name]) => name);
  const asked = [...readSource("compose.yaml").matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
  expect(new Set(made)).toEqual(new Set(asked));
  expect(execFileSync("stat", ["-c", "%a", path], { encoding: "utf8" }).trim()).toBe("600");
});
