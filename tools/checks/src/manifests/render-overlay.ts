import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { repositoryRoot } from "../source-files.ts";

const run = promisify(execFile);

/** The kustomize that is built with Go if there is no kubectl. It is the version in Kubernetes 1.34. */
const kustomizeModule = "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1";

/** A Kubernetes object as it is in a manifest. */
export type KubernetesObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the kind, and the published schemas check their types
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
};

/** A command that renders the folder given as its last argument. */
export type Renderer = readonly [command: string, ...args: string[]];

/**
 * Returns whether a kubectl renders with kustomize 5, as every one since 1.27 does. Earlier ones merge components in
 * another order. @param version output of `kubectl version --client -o json`
 */
export function rendersByKustomize5(version: string): boolean {
  const { kustomizeVersion = "" } = JSON.parse(version) as { readonly kustomizeVersion?: string };
  return Number(/^v(\d+)\./.exec(kustomizeVersion)?.[1] ?? 0) >= 5;
}

async function findRenderer(): Promise<Renderer | null> {
  const answer = (command: string, ...args: string[]): Promise<string | null> =>
    run(command, args).then(
      ({ stdout }) => stdout,
      () => null,
    );
  const version = await answer("kubectl", "version", "--client", "-o", "json");
  if (version !== null && rendersByKustomize5(version)) return ["kubectl", "kustomize"];
  return (await answer("go", "version")) === null ? null : ["go", "run", kustomizeModule, "build"];
}

/** Returns the program that renders overlays on this machine as kubectl does. Returns null if there is neither kubectl 1.27 or newer nor Go. */
export const renderer: Renderer | null = await findRenderer();

/** Renders a folder. Rejects with the error of kustomize, or if no program can render it. */
export async function renderOverlay(folder: string, by: Renderer | null = renderer): Promise<KubernetesObject[]> {
  if (by === null) throw new Error("overlays are rendered by kubectl 1.27 or newer, or by Go; install one of them");
  const [command, ...args] = by;
  const { stdout } = await run(command, [...args, folder], { cwd: repositoryRoot, maxBuffer: 64 * 1024 * 1024 });
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject);
}
