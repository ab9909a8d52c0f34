import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
};

/** Besides the apps: the two packages that are published, and the image for projects' own tests. */
const others = ["libs/client", "tools/platformctl", "tools/local/platform-local"];

/** The things that have their own version, changelog and tags. */
export type Released = {
  /** Name in tags and commands, such as `notify-svc` or `client`. */
  readonly name: string;
  readonly packageName: string;
  /** Below the repository's root. */
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

/** @throws when nothing of that name is released */
export function releasedPackage(root: string, name: string): Released {
  const all = releasedPackages(root);
  const found = all.find((one) => one.name === name);
  if (found === undefined)
    throw new Error(`nothing named ${name} is released; there are ${all.map((one) => one.name).join(", ")}`);
  return found;
}

/** The version that a tag such as `notify-svc-v0.2.0` releases. @throws when it is not the package's version, or its changelog does not have it */
export function readTag(root: string, tag: string): Released {
  const [, name = "", version = ""] = /^([a-z-]+)-v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];
  if (version === "") throw new Error(`${tag} is not <name>-v<major>.<minor>.<patch>`);
  const released = releasedPackage(root, name);
  if (released.version !== version)
    throw new Error(`${released.folder}/package.json has version ${released.version}, not ${version}`);
  if (!hasSection(root, released)) throw new Error(`${released.folder}/CHANGELOG.md has no section ${version}`);
  return released;
}

/** Tags of versions that are in the changelogs and not among the tags that exist, such as those of release branches merged just now. */
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
