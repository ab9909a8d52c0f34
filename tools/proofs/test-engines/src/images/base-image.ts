import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { output, type Podman } from "./podman.ts";

export const baseImage = "localhost/platform-base:bookworm";

const certificates = "etc/ssl/certs/ca-certificates.crt";

/** Environment variables of the image. */
export const baseEnvironment = [`NODE_EXTRA_CA_CERTS=/${certificates}`, "PATH=/usr/local/bin:/usr/bin:/bin"] as const;

/**
 * Creates an image that replaces the Node image of Docker Hub.
 * @param folder folder that keeps the files for the next run
 * @param packages Debian packages in addition to those that Node needs
 */
export async function makeBaseImage(
  podman: Podman,
  folder: string,
  image: string = baseImage,
  packages: readonly string[] = [],
): Promise<void> {
  const root = join(folder, ["base", ...packages].join("-"));
  await makeBaseRoot(root, packages);
  const archive = join(folder, "base.tar");
  await output("tar", ["-C", root, "-cf", archive, "."]);
  const change = baseEnvironment.flatMap((variable) => ["--change", `ENV ${variable}`]);
  await podman.run("import", ...change, archive, image);
  rmSync(archive);
}

/**
 * Creates or updates the files of an image: Node's dependencies from Debian's packages, this machine's npm, and the
 * Node that runs this program.
 * @param root folder of the files
 * @param packages Debian packages in addition to those that Node needs
 */
export async function makeBaseRoot(root: string, packages: readonly string[] = []): Promise<void> {
  const mark = join(root, "usr/local/bin/npm");
  if (!existsSync(mark)) {
    rmSync(root, { recursive: true, force: true });
    const mirror = await debianMirror();
    await output("debootstrap", [
      "--variant=minbase",
      `--include=${["ca-certificates", "libatomic1", ...packages].join()}`,
      "bookworm",
      root,
      ...mirror,
    ]);
    rmSync(join(root, "var/cache/apt"), { recursive: true, force: true });
    rmSync(join(root, "var/lib/apt/lists"), { recursive: true, force: true });
  }
  const bin = join(root, "usr/local/bin");
  copyFileSync(process.execPath, join(bin, "node"));
  chmodSync(join(bin, "node"), 0o755);
  const npm = join(root, "usr/local/lib/node_modules/npm");
  mkdirSync(dirname(npm), { recursive: true });
  cpSync(await npmFolder(), npm, { recursive: true });
  // Certificate authorities that this machine trusts, possibly including one of its own network.
  if (existsSync(`/${certificates}`)) copyFileSync(`/${certificates}`, join(root, certificates));
  rmSync(mark, { force: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", mark);
}

async function npmFolder(): Promise<string> {
  const path = (await output("sh", ["-c", "command -v npm"])).trim();
  return dirname(dirname(realpathSync(path)));
}

/** Returns the package mirror that apt uses on this machine, if there is one. */
async function debianMirror(): Promise<string[]> {
  const wanted = ["Created-By: Packages", "Origin: Debian", "Component: main"];
  const sites = await output("apt-get", ["indextargets", "--format", "$(SITE)", ...wanted]).catch(() => "");
  return sites
    .split("\n")
    .filter((site) => site !== "" && !site.includes("security"))
    .slice(0, 1);
}
