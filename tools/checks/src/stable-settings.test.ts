import { expect, test } from "vitest";
import { readSource } from "./source-files.ts";

/*
 * Environment variables on which scripts and installations rely, by the file that reads them. They are written by hand, so that none is renamed unnoticed.
 * The variables with the addresses of services are tested where they are derived from the list of services.
 */
const stable: Readonly<Record<string, readonly string[]>> = {
  "apps/gateway/src/config.ts": ["GATEWAY_PORT", "PUBLIC_BASE_URL", "TRUSTED_PROXIES", "REQUEST_LOG_SUCCESS_RATIO"],
  "apps/files-svc/src/config.ts": [
    "PUBLIC_BASE_URL",
    "BLOB_STORE",
    "S3_BUCKET",
    "CLAMD_URL",
    "TRANSFER_DRAIN_SECONDS",
    "ORPHAN_GRACE_DAYS",
  ],
  "apps/notify-svc/src/config.ts": ["SMTP_URL", "FCM_BASE_URL", "APNS_BASE_URL", "LINE_BASE_URL"],
  "apps/identity-svc/src/config.ts": [
    "SMTP_URL",
    "MAIL_FROM",
    "OPERATOR_OIDC_ISSUER",
    "OPERATOR_OIDC_CLIENT_IDS",
    "MEMBERS_OIDC_ISSUER",
    "MEMBERS_OIDC_CLIENT_IDS",
  ],
  "apps/events-svc/src/worker/relay/nats-settings.ts": [
    "NATS_URL",
    "NATS_USER",
    "NATS_PASSWORD",
    "NATS_CREDS_FILE",
    "NATS_CA_FILE",
    "NATS_REPLICAS",
  ],
  "libs/kit/src/service/service-config.ts": [
    "SERVICE_KEY",
    "SERVICE_KEY_PREVIOUS",
    "OPERATOR_TOKEN",
    "SECOND_PERSON",
    "LOG_LEVEL",
  ],
  "libs/kit/src/process/read-env.ts": [
    "MONGODB_URI",
    "REDIS_URL",
    "REDIS_SENTINELS",
    "REDIS_MASTER",
    "REDIS_CA_FILE",
    "GRPC_TLS_CA",
    "GRPC_TLS_CERT",
    "GRPC_TLS_KEY",
    "GRPC_PLAINTEXT_BEYOND_LOOPBACK",
    "TRANSFER_DRAIN_SECONDS",
  ],
  "libs/kit/src/process/s3-env.ts": ["S3_ENDPOINT", "S3_REGION", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"],
  "libs/kit/src/process/trace-process.ts": ["OTEL_EXPORTER_OTLP_ENDPOINT"],
  "tools/local/stack/src/one-process.ts": ["STACK_PROCESSES"],
  "tools/local/stack/src/run-stack.ts": ["STACK_PORT_BASE"],
  "tools/local/stack/src/settings.ts": ["DEMO_HISTORY"],
  "tools/platformctl/src/home.ts": ["PLATFORMCTL_HOME"],
  "tools/platformctl/src/local-stack.ts": ["STACK_DIR"],
  "tests/acceptance/browser.ts": ["CHROMIUM"],
  "tools/setup.sh": ["CHROMIUM"],
};

test.each(Object.entries(stable))("%s reads the variables on which installations rely: %j", (path, names) => {
  const text = readSource(path);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});
