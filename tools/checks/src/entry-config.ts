import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./source-files.ts";

/** Result of reading a configuration: the function that read it, and either the configuration or an error. */
export type EntryConfig = { readonly reader: string; readonly config: unknown; readonly error: string | null };

/**
 * Reads an environment with the function that an entry point of an app uses, in this process. An entry point calls it
 * as `read…Config(process.env)`.
 * @param script path of the entry point in the app's folder, such as `src/start-server.ts`
 * @throws Error if the entry point reads no configuration
 */
export async function readEntryConfig(
  app: string,
  script: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<EntryConfig> {
  const folder = join(repositoryRoot, "apps", app);
  const [, reader] = /(read\w*Config)\(process\.env\)/.exec(readFileSync(join(folder, script), "utf8")) ?? [];
  const module = (await import(join(folder, "src/config.ts"))) as Record<string, (env: object) => unknown>;
  const read = module[reader ?? ""];
  if (reader === undefined || read === undefined) throw new Error(`${script} of ${app} reads no configuration`);
  try {
    return { reader, config: read(env), error: null };
  } catch (error) {
    return { reader, config: null, error: (error as Error).message };
  }
}
