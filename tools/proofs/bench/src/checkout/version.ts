import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";

/**
 * A checkout of this repository to measure: this one, or an earlier one that runs interleaved with it (option BEFORE).
 */
export type Version = { readonly root: string; readonly prefix: "" | "before: " };

export const present: Version = { root: repositoryRoot, prefix: "" };

/** @param before folder of another checkout with installed dependencies; null if there is none to compare with */
export function versionsOf(before: string | null): readonly Version[] {
  return before === null ? [present] : [present, { root: resolve(before), prefix: "before: " }];
}

/** V8 flags of the gateway and of the services' servers in that checkout. */
export async function nodeArgumentsOf({ root }: Version): Promise<Record<"gateway" | "server", readonly string[]>> {
  type Components = typeof import("@platform/stack/components");
  const components: Partial<Components> = await importFrom<Components>(root, "@platform/stack/components");
  return { gateway: components.gatewayNodeArguments ?? [], server: components.serverNodeArguments ?? [] };
}

/**
 * Loads a module of a workspace of that checkout, with the dependencies installed there.
 * @param names names of the module in the compared versions, the current one first
 */
export async function importFrom<T>(root: string, ...names: readonly [string, ...string[]]): Promise<T> {
  const { resolve: locate } = createRequire(join(root, "package.json"));
  const isThere = (name: string): boolean => {
    try {
      return locate(name) !== "";
    } catch {
      return false;
    }
  };
  return (await import(locate(names.find(isThere) ?? names[0]))) as T;
}

/** Returns the path of a program of the bench in that checkout. Earlier versions keep the bench in another folder. */
export function benchProgram(root: string, path: string): string {
  const program = join(root, "tools/proofs/bench", path);
  return existsSync(program) ? program : join(root, "tools/bench", path);
}
