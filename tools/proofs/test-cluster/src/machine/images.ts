import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assembleAppTree } from "@platform/checks/images/assemble-app-tree";
import { workspaceClosure } from "@platform/checks/images/workspace-closure";
import { readSource } from "@platform/checks/source-files";
import { serviceNames } from "@platform/contracts/services";
import { imagesOf } from "@platform/release/version-file";
import { repositoryRoot } from "@platform/stack/stack";
import { baseEnvironment, makeBaseRoot } from "@platform/test-engines/images/base-image";
import { output } from "@platform/test-engines/images/podman";
import type { Installation } from "@platform/test-engines/install";
import { type ImageSettings, writeLayout } from "./oci-layout.ts";
import { storeImages, writeStandIns } from "./stand-ins.ts";

const apps = ["gateway", "console", ...serviceNames.map((name) => `${name}-svc`)];
/** The version to which a single service is updated. */
export const nextVersion = "0.1.1";
const workspaces = [...apps.map((app) => `apps/${app}`), "libs/backup", "tools/embedded-mongo", "tools/provider-sink"];

/**
 * Builds every image that the cluster runs and returns the folder of an OCI layout with all of them. Later calls build
 * only if a source has changed. All images share the same files and are configured as the Dockerfile specifies, so that
 * they are built and unpacked once; `make test-engines` builds each one by the Dockerfile itself.
 */
export async function makeImages(folder: string, programs: Installation, say: (text: string) => void): Promise<string> {
  const layout = join(folder, "images");
  const state = join(folder, "images.sha256");
  const content = await contentOfImages();
  if (existsSync(state) && readFileSync(state, "utf8") === content) return layout;
  rmSync(state, { force: true });
  say("making the files of the images from Debian's and npm's packages");
  const root = join(folder, "root");
  await makeBaseRoot(root, ["redis-server", "nats-server", "clamav-daemon"]);
  await writeStandIns(root, programs);
  const platform = join(root, "platform");
  rmSync(platform, { recursive: true, force: true });
  await assembleAppTree(repositoryRoot, workspaces, platform);
  await writeLayout(layout, root, [
    ...apps.flatMap((app) => referencesOf(app).map((reference) => ({ reference, settings: dockerfileSettings(app) }))),
    ...storeImages.map(({ reference, entrypoint }) => ({ reference, settings: storeSettings(entrypoint) })),
  ]);
  writeFileSync(state, content);
  say("the images are made");
  return layout;
}

/** Returns the images of an app, under the names that the overlays use. */
function referencesOf(app: string): string[] {
  return imagesOf(app).flatMap((name) => {
    const registry = `registry.platform.example/${name}`;
    return [`docker.io/${name}:dev`, `${registry}:0.1.0`, `${registry}:${nextVersion}`];
  });
}

/** Reads the settings of the last stage of the Dockerfile. */
function dockerfileSettings(app: string): ImageSettings {
  const stage =
    readSource("Dockerfile")
      .split(/^FROM /m)
      .at(-1) ?? "";
  const line = (name: string): string => new RegExp(`^${name} (.*)$`, "m").exec(stage)?.[1] ?? "";
  return {
    Env: [...baseEnvironment, ...line("ENV").split(" ")],
    WorkingDir: line("WORKDIR").replace(/\$\{APP\}/, app),
    User: line("USER"),
    Entrypoint: JSON.parse(line("ENTRYPOINT")),
    Cmd: JSON.parse(line("CMD")),
    StopSignal: line("STOPSIGNAL"),
  };
}

const storeSettings = (entrypoint: readonly string[]): ImageSettings => ({
  Env: ["PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
  ...(entrypoint.length === 0 ? {} : { Entrypoint: entrypoint }),
});

/** Computes a hash of everything from which the images are built. */
async function contentOfImages(): Promise<string> {
  const folders = new Set(workspaces.flatMap((folder) => workspaceClosure(repositoryRoot, folder)));
  const all = [
    "package-lock.json",
    "Dockerfile",
    "tools/checks/src/images",
    "tools/proofs/test-cluster/src/machine",
    ...folders,
  ];
  const listed = await output("git", ["-C", repositoryRoot, "ls-files", "-z", "-co", "--exclude-standard", ...all]);
  const hash = createHash("sha256").update(process.version);
  for (const path of listed.split("\0").filter((one) => one !== "" && existsSync(join(repositoryRoot, one))))
    hash.update(path).update(readFileSync(join(repositoryRoot, path)));
  return hash.digest("hex");
}
