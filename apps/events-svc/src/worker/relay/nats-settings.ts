import { readFileSync } from "node:fs";
import { readCertificateFile } from "@platform/kit/process/env";
import { z } from "zod";

/** The addresses of NATS and the login. */
export type NatsSettings = {
  /** One server, or several servers of a cluster. */
  readonly servers: readonly string[];
  readonly login: { readonly user: string; readonly password: string } | null;
  /** Contents of a .creds file: a user's JWT and seed. */
  readonly creds: string | null;
  /**
   * Path of the PEM file of the authority that signs the servers' certificates; it is read again for each connection.
   * Null for the authorities that Node.js trusts.
   */
  readonly caFile: string | null;
  /** Number of replicas of a stream that the platform creates. */
  readonly replicas: number;
};

const isNatsUrl = (text: string): boolean =>
  /^(nats|tls):\/\//.test(text) && URL.canParse(text) && new URL(text).hostname !== "";

/** Environment variables of NATS, which are added to a process's schema. */
export const natsEnv = {
  NATS_URL: z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .refine((urls) => urls.every(isNatsUrl), "must be nats:// or tls:// with a host, or several, separated by commas")
    .optional(),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_CREDS_FILE: z.string().optional(),
  NATS_CA_FILE: z.string().optional(),
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
} as const;

/**
 * Converts the environment variables of NATS into the settings of the relay; null without NATS_URL. Throws if they
 * contradict each other, or if a file cannot be read.
 */
export function natsSettings(env: z.output<z.ZodObject<typeof natsEnv>>): NatsSettings | null {
  const { NATS_URL: servers, NATS_USER: user, NATS_PASSWORD: password } = env;
  const { NATS_CREDS_FILE: credsPath, NATS_CA_FILE: caPath } = env;
  if ((user === undefined) !== (password === undefined))
    throw new Error("bad configuration\n  NATS_USER and NATS_PASSWORD: set both or none");
  if (user !== undefined && credsPath !== undefined)
    throw new Error("bad configuration\n  NATS_CREDS_FILE: not together with NATS_USER");
  // The file is read here, so that the process does not start if the file is missing or contains no certificate.
  if (caPath !== undefined) readCertificateFile("NATS_CA_FILE", caPath);
  const settings = {
    login: user === undefined || password === undefined ? null : { user, password },
    creds: credsPath === undefined ? null : readCreds(credsPath),
    caFile: caPath ?? null,
    replicas: env.NATS_REPLICAS,
  };
  return servers === undefined ? null : { servers, ...settings };
}

function readCreds(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`bad configuration\n  NATS_CREDS_FILE: ${path} cannot be read`, { cause: error });
  }
  if (!/BEGIN NATS USER JWT[\s\S]*BEGIN USER NKEY SEED/.test(text))
    throw new Error(`bad configuration\n  NATS_CREDS_FILE: ${path} holds no JWT and seed of a user`);
  return text;
}
