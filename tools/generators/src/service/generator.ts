import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { serviceNames, services } from "@platform/contracts/services";
import { readVersion, renderVersion } from "@platform/release/version-file";
import { freePort } from "./free-port.ts";
import { capitalized, type Noun, nounOf } from "./noun.ts";

/** The part of Nx's virtual file tree that is used here. Nothing is written before the generator has succeeded. */
type Tree = {
  readonly root: string;
  exists(path: string): boolean;
  read(path: string, encoding: "utf-8"): string | null;
  write(path: string, content: string): void;
  children(folder: string): string[];
};

const templates = join(import.meta.dirname, "files");
const list = "libs/contracts/src/services.ts";
/** The line of the list above which a new entry is inserted. */
const lastLine = "  // `nx generate @platform/tools:service` adds an entry above this line.\n";
/** For a service that needs nothing of its own there, an environment contains the same as for this one. */
const plainService = "ads-svc";

type Options = { readonly name: string; readonly owns?: string; readonly noun?: string; readonly plural?: string };

/**
 * Creates a service in the shape of the others: its entry in the list of services, unless it is there already, and from templates its messages, its
 * app and its manifests. Every other place is derived from the list.
 * @returns what runs once the files are written: it renders and generates what follows from them, and links the package
 */
export default function generateService(tree: Tree, { name, owns, ...words }: Options): () => void {
  const app = `${name}-svc`;
  if (tree.exists(`apps/${app}`)) throw new Error(`apps/${app} is there already`);
  const noun = nounOf(name, words);
  const known = serviceNames.find((one) => one === name);
  const port = known === undefined ? freePort() : services[known].grpcPort;
  if (known === undefined) addEntry(tree, name, { owns: owns ?? `${noun.many} of Project Clients`, port });

  const values = placeholders(name, noun, port);
  for (const file of globSync("**/*.template", { cwd: templates })) {
    const path = fill(file.slice(0, -".template".length), values);
    tree.write(path, fill(readFileSync(join(templates, file), "utf8"), values));
  }
  for (const overlay of tree.children("k8s/overlays")) {
    const folder = `k8s/overlays/${overlay}`;
    const text = tree.read(`${folder}/${plainService}/kustomization.yaml`, "utf-8");
    const version = tree.read(`${folder}/${plainService}/version.yaml`, "utf-8");
    if (text === null || version === null) continue;
    tree.write(`${folder}/${app}/kustomization.yaml`, text.replaceAll(plainService, app));
    tree.write(`${folder}/${app}/version.yaml`, firstVersion(app, version));
  }
  return () => finish(tree.root, app);
}

/** The version.yaml of a new service: the version of its package, which no release has pushed, from the registry that the environment uses. */
function firstVersion(app: string, ofPlainService: string): string {
  const images = readVersion(ofPlainService).map(({ name, newName, tag }) => ({
    name: name.replace(plainService, app),
    newName: newName?.replace(plainService, app) ?? null,
    tag: newName === null ? tag : "0.1.0",
    digest: null,
  }));
  return renderVersion(app, images);
}

function addEntry(tree: Tree, name: string, { owns, port }: { readonly owns: string; readonly port: number }): void {
  const text = tree.read(list, "utf-8") ?? "";
  if (!text.includes(lastLine)) throw new Error(`${list} lacks the line ${lastLine.trim()}`);
  const entry = `  ${name}: {
    owns: ${JSON.stringify(owns)},
    team: "${name}-team",
    grpcPort: ${port},
    httpPort: null,
  },
`;
  tree.write(
    list,
    text.replace(lastLine, () => entry + lastLine),
  );
}

/** What stands for a placeholder in the templates and in their names. */
function placeholders(name: string, noun: Noun, port: number): Readonly<Record<string, string>> {
  // Backups and drills of services do not run together.
  const others = serviceNames.filter((one) => one !== name).length;
  return {
    __name__: name,
    __Name__: capitalized(name),
    __noun__: noun.one,
    __Noun__: capitalized(noun.one),
    __nouns__: noun.many,
    __Nouns__: capitalized(noun.many),
    __aNoun__: noun.withArticle,
    __ANoun__: capitalized(noun.withArticle),
    __port__: `${port}`,
    __serverProbes__: `${port + 30}`,
    __workerProbes__: `${port + 50}`,
    __backupMinute__: `${(5 * (others + 1)) % 60}`,
    __drillDay__: `${3 + (others % 25)}`,
  };
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((filled, [placeholder, value]) => filled.replaceAll(placeholder, value), text);
}

/** The file that tools/setup.sh writes after an installation. */
const stamp = "node_modules/.platform-installed";

/** Is what package.json and the lock file name installed? The rule is that of tools/setup.sh. */
function isEverythingInstalled(root: string): boolean {
  const changedAt = (path: string): number => statSync(join(root, path)).mtimeMs;
  if (!existsSync(join(root, stamp))) return false;
  return ["package.json", "package-lock.json"].every((path) => changedAt(path) <= changedAt(stamp));
}

function finish(root: string, app: string): void {
  const bin = join(root, "node_modules/.bin");
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(program, args, { cwd: root, stdio: "inherit" });
  const link = join(root, `node_modules/@platform/${app}`);
  mkdirSync(join(link, ".."), { recursive: true });
  if (!existsSync(link)) symlinkSync(`../../apps/${app}`, link);
  const isInstalled = isEverythingInstalled(root);
  run("npm", "install", "--package-lock-only", "--ignore-scripts", "--offline", "--silent");
  // The lock file gained nothing but the link made above, so the next `make` has nothing to install.
  if (isInstalled) writeFileSync(join(root, stamp), "");
  // Files of `make generate` that a new service changes.
  run(process.execPath, "tools/checks/src/rendered/render-services.ts");
  run(process.execPath, "tools/checks/src/dashboards/build-dashboards.ts");
  execFileSync(join(bin, "buf"), ["generate"], {
    cwd: join(root, "proto"),
    stdio: "inherit",
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
  });
  run(join(bin, "biome"), "check", "--write", `apps/${app}`, list);
}
