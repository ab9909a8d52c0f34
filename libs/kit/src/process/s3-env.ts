import { z } from "zod";
import { envFields } from "./read-env.ts";

/** Settings to access an S3-compatible store. */
export type S3Access = {
  readonly region: string;
  /** URL of the store; null for AWS itself. */
  readonly endpoint: string | null;
  /** Keys for the store; null selects the SDK's own chain: environment, profile, workload identity. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** True to put the bucket into the path instead of the host name, as most S3-compatible stores require. */
  readonly forcePathStyle: boolean;
};

/**
 * Options of the SDK's client without which many S3-compatible stores and proxies reject requests. Bodies need no CRC,
 * because the signature covers their SHA-256. `Expect: 100-continue` is off, because an upload would wait for a store
 * that does not support it.
 */
export const s3Compatibility = {
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  expectContinueHeader: false,
} as const;

/** Settings of an S3-compatible store, which a process spreads into its schema. */
export const s3Env = {
  S3_REGION: z.string().default("us-east-1"),
  S3_ENDPOINT: z.url().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: envFields.boolean(true),
} as const;

/** Turns the variables of S3 into the access settings. Throws if they contradict each other. */
export function s3Access(env: z.output<z.ZodObject<typeof s3Env>>): S3Access {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new Error("bad configuration\n  S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY: set both or none");
  return {
    region: env.S3_REGION,
    endpoint: env.S3_ENDPOINT ?? null,
    credentials: accessKeyId === undefined || secretAccessKey === undefined ? null : { accessKeyId, secretAccessKey },
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
  };
}
