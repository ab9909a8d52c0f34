import { existsSync } from "node:fs";

/**
 * Returns the arguments that start a process of the platform from another checkout of the repository.
 * @param root the other checkout
 * @param args arguments that name files below `ownRoot`
 * @returns null if the version in `root` has no such process, because a named file is missing there
 */
export function argumentsIn(root: string, args: readonly string[], ownRoot: string): readonly string[] | null {
  if (root === ownRoot) return args;
  const moved = args.map((arg) => arg.replace(ownRoot, root));
  return moved.every((arg, at) => arg === args[at] || existsSync(arg)) ? moved : null;
}
