import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceClosure } from "@platform/checks/images/workspace-closure";
import { repositoryRoot } from "@platform/stack/stack";
import { baseEnvironment, makeBaseRoot } from "@platform/test-engines/images/base-image";
import { output } from "@platform/test-engines/images/podman";
import type { Installation } from "@platform/test-engines/install";
import { storeImages, writeStandIns } from "./stand-ins.ts";

export const apps = ["gateway", "console", "identity-svc", "files-svc", "notify-svc", "events-svc", "ads-svc"] as const;
/** The version that one service alone is changed to. */
export const nextVersion = "0.1.1";
const base = "localhost/platform-base:bookworm";

type Buildah = (...args: readonly string[]) => Promise<string>;

/** Makes every image that the cluster runs, and returns an OCI archive of all. The second time only what has changed is made. */
export async function makeImages(folder: string, programs: Installation, say: (text: string) => void): Promise<string> {
  const layout = join(folder, "images");
  const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "overlay"];
  const buildah: Buildah = (...args) => output("buildah", [...storage, ...args]);
  const archive = join(folder, "images.tar");
  const state = join(folder, "images.json");
  const made: Record<string, string> = existsSync(state) ? JSON.parse(readFileSync(state, "utf8")) : {};
  const wanted: Record<string, string> = {
    ...Object.fromEntries(await Promise.all(apps.map(async (app) => [app, await contentOf(app)] as const))),
    stores: await contentOf("stores"),
  };
  const changed = Object.keys(wanted).filter((name) => made[name] !== wanted[name]);
  if (changed.length === 0 && existsSync(archive)) return archive;
  mkdirSync(layout, { recursive: true });
  const roots = { base: join(folder, "base-root"), stores: join(folder, "stores-root") };
  say("making the base images from Debian's packages");
  await makeBaseRoot(roots.base);
  await fromRoot(buildah, roots.base, base);
  for (const app of apps.filter((name) => changed.includes(name))) {
    const arguments_ = ["--build-arg", `APP=${app}`, "--build-arg", `BASE=${base}`, "--tag", `localhost/${app}:dev`];
    const machine = ["--network", "host", "--isolation", "chroot", "--layers=false", "--format", "docker"];
    await buildah("bud", ...machine, ...arguments_, repositoryRoot);
    for (const reference of referencesOf(app)) await push(buildah, layout, `localhost/${app}:dev`, reference);
    say(`${app}: image built`);
    writeFileSync(state, JSON.stringify(Object.assign(made, { [app]: wanted[app] })));
  }
  if (changed.includes("stores")) {
    await makeBaseRoot(roots.stores, ["redis-server", "nats-server", "clamav-daemon"]);
    await writeStandIns(roots.stores, programs);
    await fromRoot(buildah, roots.stores, "localhost/stores:dev");
    for (const { reference, entrypoint } of storeImages) {
      const container = (await buildah("from", "--pull-never", "localhost/stores:dev")).trim();
      await buildah("config", "--env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container);
      await buildah("config", "--entrypoint", JSON.stringify(entrypoint), "--cmd", "", container);
      await buildah("commit", "--rm", "--disable-compression", container, "localhost/store:dev");
      await push(buildah, layout, "localhost/store:dev", reference);
    }
    say("stores: images built");
    writeFileSync(state, JSON.stringify(Object.assign(made, { stores: wanted.stores })));
  }
  nameImages(join(layout, "index.json"));
  rmSync(archive, { force: true });
  await output("tar", ["-C", layout, "-cf", archive, "."]);
  return archive;
}

/** The images of an app as the overlays name them. */
function referencesOf(app: string): string[] {
  const registry = `registry.platform.example/platform/${app}`;
  return [`docker.io/platform/${app}:dev`, `${registry}:0.1.0`, `${registry}:${nextVersion}`];
}

async function fromRoot(buildah: Buildah, root: string, name: string): Promise<void> {
  const container = (await buildah("from", "scratch")).trim();
  await buildah("add", "--quiet", container, root, "/");
  for (const variable of baseEnvironment) await buildah("config", "--env", variable, container);
  await buildah("commit", "--quiet", "--rm", "--disable-compression", container, name);
}

const push = (buildah: Buildah, layout: string, image: string, reference: string): Promise<string> =>
  buildah("push", "--quiet", "--disable-compression", image, `oci:${layout}:${reference}`);

/** containerd takes an image's whole name from this annotation alone. */
function nameImages(path: string): void {
  const index = JSON.parse(readFileSync(path, "utf8")) as { manifests: { annotations: Record<string, string> }[] };
  for (const { annotations } of index.manifests)
    annotations["io.containerd.image.name"] = annotations["org.opencontainers.image.ref.name"] ?? "";
  writeFileSync(path, JSON.stringify(index));
}

/** What an image is made of, as a hash. */
async function contentOf(name: string): Promise<string> {
  const workspaces =
    name === "stores"
      ? ["tools/embedded-mongo", "tools/provider-sink", "tools/test-cluster"]
      : workspaceClosure(repositoryRoot, `apps/${name}`);
  const files = ["package-lock.json", "Dockerfile", "tools/checks/src/images", ...workspaces];
  const list = await output("git", [
    "-C",
    repositoryRoot,
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    ...files,
  ]);
  const hash = createHash("sha256").update(process.version);
  for (const file of list.split("\0").filter((path) => path !== "" && existsSync(join(repositoryRoot, path))))
    hash.update(file).update(readFileSync(join(repositoryRoot, file)));
  return hash.digest("hex");
}
