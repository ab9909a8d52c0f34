import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
};

/** Released packages in addition to the apps: the two published packages, and the image for projects' own tests. */
const others = ["libs/client", "tools/platformctl", "tools/local/platform-local"];

/** A package that has its own version, changelog and tags. */
export type Released = {
  /** Name in tags and commands, such as `notify-svc` or `client`. */
  readonly name: string;
  readonly packageName: string;
  /** Folder below the repository's root. */
  readonly folder: string;
  readonly version: string;
};

const manifestOf = (root: string, folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;

export function releasedPackages(root: string): Released[] {
  const apps = readdirSync(join(root, "apps")).map((app) => `apps/${app}`);
  return [...apps, ...others]
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => {
      const { name, version } = manifestOf(root, folder);
      return { name: folder.split("/").at(-1) ?? "", packageName: name, folder, version };
    });
}

/** Returns the released package with a name. @throws if there is none */
export function releasedPackage(root: string, name: string): Released {
  const all = releasedPackages(root);
  const found = all.find((one) => one.name === name);
  if (found === undefined)
    throw new Error(`nothing named ${name} is released; there are ${all.map((one) => one.name).join(", ")}`);
  return found;
}

/**
 * Returns the version that a tag such as `notify-svc-v0.2.0` releases. @throws if it differs from the package's version, or the changelog does not contain it
 */
export function readTag(root: string, tag: string): Released {
  const [, name = "", version = ""] = /^([a-z-]+)-v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];
  if (version === "") throw new Error(`${tag} is not <name>-v<major>.<minor>.<patch>`);
  const released = releasedPackage(root, name);
  if (released.version !== version)
    throw new Error(`${released.folder}/package.json has version ${released.version}, not ${version}`);
  if (!hasSection(root, released)) throw new Error(`${released.folder}/CHANGELOG.md has no section ${version}`);
  return released;
}

/**
 * Returns tags of versions that the changelogs contain but git does not, for example those of release branches that were just merged.
 */
export function missingTags(root: string, existing: ReadonlySet<string>): string[] {
  return releasedPackages(root)
    .filter((released) => hasSection(root, released))
    .map(({ name, version }) => `${name}-v${version}`)
    .filter((tag) => !existing.has(tag));
}

function hasSection(root: string, { folder, version }: Released): boolean {
  const text = readFileSync(join(root, folder, "CHANGELOG.md"), "utf8");
  return text.split("\n").includes(`## ${version}`);
}
