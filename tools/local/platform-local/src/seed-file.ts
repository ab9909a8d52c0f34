import { existsSync, readFileSync } from "node:fs";
import { scopes } from "@platform/contracts/scopes";
import { parse } from "yaml";
import { z } from "zod";

const name = z.string().min(1).max(120);
const channels = ["email", "fcm", "apns", "line", "web_push"] as const;

const schema = z.strictObject({
  clients: z
    .array(
      z.strictObject({
        /** The name of the client. It is unique in the file, because a later start finds the client by its name. */
        name,
        environment: z.enum(["development", "sandbox"]).default("development"),
        return_uris: z.array(z.string()).default([]),
        platform_events: z.enum(["on", "off"]).default("off"),
        credentials: z
          .array(
            z.strictObject({
              name,
              scopes: z
                .array(z.enum(scopes))
                .min(1)
                .default([...scopes]),
            }),
          )
          .default([]),
        /** Templates in the same form as in catalog.yaml. `catalog apply` checks them. */
        catalog: z.strictObject({ templates: z.array(z.unknown()) }).optional(),
        sender_profiles: z
          .array(z.strictObject({ name, channel: z.enum(channels), config: z.record(z.string(), z.unknown()) }))
          .default([]),
      }),
    )
    .min(1)
    .max(50),
});

/** Settings with which a separate platform starts. */
export type Seed = z.output<typeof schema>;
export type SeedClient = Seed["clients"][number];

/**
 * Reads a seed file: YAML or JSON.
 * @throws Error of one line that names the file and its problem
 */
export function readSeedFile(path: string): Seed {
  if (!existsSync(path)) throw new Error(`the seed file ${path} does not exist`);
  let parsed: unknown;
  try {
    parsed = parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path}: ${oneLine((error as Error).message)}`, { cause: error });
  }
  const { success, data, error } = schema.safeParse(parsed);
  if (!success) {
    const problems = error.issues.map((issue) => `${issue.path.join(".") || "the file"}: ${issue.message}`);
    throw new Error(`${path}: ${oneLine(problems.join("; "))}`);
  }
  requireUnique(path, "clients", data.clients);
  for (const client of data.clients) {
    requireUnique(path, `credentials of ${client.name}`, client.credentials);
    requireUnique(path, `sender_profiles of ${client.name}`, client.sender_profiles);
  }
  return data;
}

function requireUnique(path: string, what: string, items: readonly { readonly name: string }[]): void {
  const names = items.map((item) => item.name);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) throw new Error(`${path}: ${what}: "${twice}" is there twice`);
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ");
