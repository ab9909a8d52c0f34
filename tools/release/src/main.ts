import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { pendingReleases, raiseVersion } from "./changesets.ts";
import { deploy, imagesIn, promote } from "./environments.ts";
import { missingTags, readTag } from "./packages.ts";
import { parseReference, referenceOf } from "./version-file.ts";

const usage = `usage: node tools/release/src/main.ts <command>
  pending                                       names of what has changes that wait for a release
  raise NAME                                    raises its version and writes its changelog, by the files in .changeset
  missing-tags                                  tags of released versions that git does not have yet
  read-tag TAG                                  name, folder and version that a tag releases
  deploy ENVIRONMENT APP IMAGE@DIGEST…          lets the environment run these images of the app
  promote APP FROM TO                           lets the environment TO run what FROM runs of the app
  images ENVIRONMENT APP                        references of the images that the environment runs of the app`;

/** Root of the repository in which the command runs. */
const root = resolve(".");
const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");

function run(command: string | undefined, args: readonly string[]): string {
  const [first = "", second = "", third = ""] = args;
  const isCalledWith = (name: string, count: number): boolean => command === name && args.length === count;
  if (isCalledWith("pending", 0)) return lines(pendingReleases(root));
  if (isCalledWith("raise", 1)) raiseVersion(root, first);
  else if (isCalledWith("missing-tags", 0)) return lines(missingTags(root, new Set(existingTags())));
  else if (isCalledWith("read-tag", 1)) {
    const { name, folder, version } = readTag(root, first);
    return lines([`name=${name}`, `folder=${folder}`, `version=${version}`]);
  } else if (command === "deploy" && args.length >= 3) deploy(root, first, second, args.slice(2).map(parseReference));
  else if (isCalledWith("promote", 3)) promote(root, first, { from: second, to: third });
  else if (isCalledWith("images", 2)) return lines(imagesIn(root, first, second).map(referenceOf));
  else throw new Error(usage);
  return "";
}

const existingTags = (): string[] =>
  execFileSync("git", ["tag", "--list"], { cwd: root, encoding: "utf8" }).split("\n");

try {
  const [command, ...args] = process.argv.slice(2);
  process.stdout.write(run(command, args));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
