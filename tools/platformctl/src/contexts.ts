import { addressVariable } from "@platform/contracts/service-addresses";
import { serviceNames } from "@platform/contracts/services";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { contextsFile as file, type Home } from "./home.ts";
import { UsageError, unknownContext } from "./usage-error.ts";

/** Settings of a platform, by the names of their environment variables. */
export const contextSettings = [
  ...serviceNames.map((name) => addressVariable(name, "GRPC")),
  "GRPC_TLS_CA",
  "GRPC_TLS_CERT",
  "GRPC_TLS_KEY",
  "GRPC_PLAINTEXT_BEYOND_LOOPBACK",
] as const;

const schema = z.strictObject({
  /** The context that is used if none is given. */
  current: z.string().optional(),
  contexts: z
    .record(z.string().regex(/^[\w.-]{1,60}$/), z.partialRecord(z.enum(contextSettings), z.string()))
    .default({}),
});

export type Contexts = z.output<typeof schema>;

/** Reads the platforms in the configuration file. Throws a UsageError if the file is not valid. */
export function readContexts(home: Home): Contexts {
  const text = home.read(file);
  if (text === null) return { contexts: {} };
  try {
    return schema.parse(parse(text) ?? {});
  } catch (error) {
    const what = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new UsageError(`${home.directory}/${file}: ${what}`);
  }
}

export function writeContexts(home: Home, contexts: Contexts): void {
  home.write(file, stringify(contexts));
}

/** Returns the settings of a context. Throws a UsageError if the file does not contain it. */
export function settingsOfContext(home: Home, name: string): Readonly<Record<string, string | undefined>> {
  const found = readContexts(home).contexts[name];
  if (found === undefined) throw unknownContext(name);
  return found;
}
