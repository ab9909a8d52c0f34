import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { serviceNames, services } from "@platform/contracts/services";
import { readVersion, renderVersion } from "@platform/release/version-file";
import { freePort } from "./free-port.ts";
import { capitalized, type Noun, nounOf } from "./noun.ts";

/** The functions of Nx's virtual file tree that the generator uses. Nx writes the files only after the generator has succeeded. */
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
/** Environments configure a new service, which needs no settings of its own, like this one. */
const plainService = "ads-svc";

type Options = { readonly name: string; readonly owns?: string; readonly noun?: string; readonly plural?: string };

/**
 * Creates a service in the shape of the others: its entry in the list of services, unless it is there already, and from templates its messages, its app and
 * its manifests. All other files are derived from the list.
 * @returns a function to run after the files were written. It renders and generates the files that depend on them, and links the package
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

/** Creates the version.yaml of a new service: the version of its package, which no release has pushed, from the registry that the environment uses. */
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

/** Returns the values of the placeholders in the templates and in their file names. */
function placeholders(name: string, noun: Noun, port: number): Readonly<Record<string, string>> {
  // The times differ between services, so that their backups and drills do not run at the same time.
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

/** File that tools/setup.sh writes after an installation. */
const stamp = "node_modules/.platform-installed";

/** Returns whether the packages in package.json and the lock file are installed, by the same rule as tools/setup.sh. */
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
  // The only change of the lock file is the link that was created above, so the next `make` need not install anything.
  if (isInstalled) writeFileSync(join(root, stamp), "");
  // These are the steps of `make generate` whose files a new service changes.
  run(process.execPath, "tools/checks/src/rendered/render-services.ts");
  run(process.execPath, "tools/checks/src/dashboards/build-dashboards.ts");
  execFileSync(join(bin, "buf"), ["generate"], {
    cwd: join(root, "proto"),
    stdio: "inherit",
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
  });
  run(join(bin, "biome"), "check", "--write", `apps/${app}`, list);
}
