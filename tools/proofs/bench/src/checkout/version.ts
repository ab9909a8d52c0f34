import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";

/** A checkout of this repository that is measured: this one, or one before it that runs interleaved with it (BEFORE). */
export type Version = { readonly root: string; readonly prefix: "" | "before: " };

export const present: Version = { root: repositoryRoot, prefix: "" };

/** @param before folder of another checkout with its dependencies installed; null: there is none to compare with */
export function versionsOf(before: string | null): readonly Version[] {
  return before === null ? [present] : [present, { root: resolve(before), prefix: "before: " }];
}

/** V8 flags of that checkout's gateway and of its services' servers. */
export async function nodeArgumentsOf({ root }: Version): Promise<Record<"gateway" | "server", readonly string[]>> {
  type Components = typeof import("@platform/stack/components");
  const components: Partial<Components> = await importFrom<Components>(root, "@platform/stack/components");
  return { gateway: components.gatewayNodeArguments ?? [], server: components.serverNodeArguments ?? [] };
}

/**
 * Loads a workspace's module of that checkout, with the dependencies installed there.
 * @param names of the module in the versions that are compared, the present one first
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

/** Path of a program of the bench in that checkout. Earlier versions have the bench in another folder. */
export function benchProgram(root: string, path: string): string {
  const program = join(root, "tools/proofs/bench", path);
  return existsSync(program) ? program : join(root, "tools/bench", path);
}
