import { randomBytes } from "node:crypto";
import type { KubernetesObject } from "@platform/checks/manifests/render-overlay";
import { type ServiceName, serviceNames } from "@platform/contracts/services";

/** Secrets of one run. */
export type Secrets = { readonly operatorToken: string; readonly accessKey: string; readonly secretKey: string };

export const createSecrets = (): Secrets => ({
  operatorToken: randomBytes(32).toString("hex"),
  accessKey: randomBytes(10).toString("hex"),
  secretKey: randomBytes(32).toString("hex"),
});

/** Creates the key of the object storage, as a Secret in the namespace of the stores. */
export const storeSecret = ({ accessKey, secretKey }: Secrets): KubernetesObject =>
  secret("platform-stores", "s3", { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey });

/**
 * Creates one Secret per app, with the app's name, as docs/operations.md requires. @param namespace namespace of an environment
 */
export function appSecrets(namespace: string, { operatorToken, accessKey, secretKey }: Secrets): KubernetesObject[] {
  const redis = { REDIS_URL: `redis://redis.platform-stores:6379` };
  const backup = { BACKUP_S3_ACCESS_KEY_ID: accessKey, BACKUP_S3_SECRET_ACCESS_KEY: secretKey };
  const key = (): string => randomBytes(32).toString("base64");
  const ofService = (): Record<string, string> => ({
    ...redis,
    ...backup,
    MONGODB_URI: `mongodb://mongo.platform-stores:27017/?directConnection=true`,
    SERVICE_KEY: key(),
    OPERATOR_TOKEN: operatorToken,
  });
  const own: Partial<Record<ServiceName, Record<string, string>>> = {
    identity: { SMTP_URL: "smtp://mailpit.platform-stores:1025?tls=optional" },
    files: { S3_ACCESS_KEY_ID: accessKey, S3_SECRET_ACCESS_KEY: secretKey },
  };
  return [
    secret(namespace, "gateway", redis),
    secret(namespace, "console", { ...redis, CONSOLE_KEY: key() }),
    ...serviceNames.map((name) => secret(namespace, `${name}-svc`, { ...ofService(), ...own[name] })),
  ];
}

function secret(namespace: string, name: string, values: Readonly<Record<string, string>>): KubernetesObject {
  const data = Object.fromEntries(
    Object.entries(values).map(([variable, value]) => [variable, Buffer.from(value).toString("base64")]),
  );
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, data };
}
