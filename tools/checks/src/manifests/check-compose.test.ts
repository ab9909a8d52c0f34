import { expect, test } from "vitest";
import { readSource } from "../source-files.ts";
import { checkCompose } from "./check-compose.ts";

const compose = readSource("compose.yaml");

test("finds no problem in compose.yaml", async () => {
  expect(await checkCompose(compose)).toEqual([]);
});

test.each([
  ["a malformed setting", "nats://nats:4222", "http://nats:4222", /events-svc: .*NATS_URL: must be nats:/s],
  ["a host that is not there", "redis://redis:6379", "redis://cache:6379", /REDIS_URL names cache, which is not there/],
  [
    "a required setting that is gone",
    "SERVICE_KEY: ${ADS_SERVICE_KEY",
    "SERVICE_KEX: ${ADS_SERVICE_KEY",
    /ads-svc: .*SERVICE_KEY: /s,
  ],
  ["an entry point that is not there", "src/main.ts", "src/start.ts", /gateway: apps\/gateway has no src\/start.ts/],
  [
    "an argument of Node that is gone",
    "--no-parallel-scavenge, ",
    "",
    /gateway: gives Node "--no-all.*", not "--no-parallel/,
  ],
  ["plain gRPC", "  GRPC_TLS_KEY: /tls/tls.key\n", "", /gateway: GRPC_TLS_KEY is not set: gRPC would be plain text/],
  [
    "another's certificates",
    "subpath: gateway",
    "subpath: operator",
    /gateway: is not shown the certificates of gateway/,
  ],
  [
    "the operator's token in the gateway",
    '      GATEWAY_PORT: "8080"\n',
    '      GATEWAY_PORT: "8080"\n      OPERATOR_TOKEN: x\n',
    /gateway: is given OPERATOR_TOKEN, which only a server needs/,
  ],
  [
    "the database in the gateway",
    '      GATEWAY_PORT: "8080"\n',
    '      GATEWAY_PORT: "8080"\n      MONGODB_URI: x\n',
    /gateway is given MONGODB_URI, which it must not have/,
  ],
  [
    "a work directory in memory",
    "WORK_DIRECTORY: /work",
    "WORK_DIRECTORY: /tmp",
    /files-svc: WORK_DIRECTORY is no volume/,
  ],
  [
    "a clamd with its own limits",
    "./ops/compose/clamd.conf:/etc/clamav/clamd.conf:ro",
    "./ops/compose/clamd.conf:/etc/other.conf:ro",
    /clamav: StreamMaxLength does not take a file of 1 GiB/,
  ],
  [
    "the operator's token in a worker",
    "    command: [src/start-worker.ts]\n    environment:\n      <<: [*addresses, *database]",
    "    command: [src/start-worker.ts]\n    environment:\n      <<: [*addresses, *database, *operators]",
    /identity-svc-worker: is given OPERATOR_TOKEN, which only a server needs/,
  ],
  ["privileges to gain", "no-new-privileges:true", "no-new-privileges:false", /gateway: may gain privileges/],
  ["kept capabilities", "cap_drop: [ALL]", "cap_drop: [NET_RAW]", /gateway: keeps capabilities/],
  ["processes without a limit", ", pids: 512", "", /gateway: has no limit of processes/],
  [
    "a limit of processes that Docker Compose refuses beside those of deploy",
    "  stop_grace_period: 45s\n",
    "  stop_grace_period: 45s\n  pids_limit: 512\n",
    /gateway: names pids_limit, which belongs in deploy.resources.limits/,
  ],
  [
    "another limit of memory than in Kubernetes",
    "memory: 3584M",
    "memory: 512M",
    /files-svc: is limited to 2 CPUs and 512M, in/,
  ],
  ["a port open to the network", "127.0.0.1:8080:8080", "8080:8080", /gateway: port 8080:8080 is reached from beyond/],
  ["an image without a version", "image: redis:8.2", "image: redis", /redis: names no version of its image/],
  [
    "STARTTLS of a mail server that has none",
    "1025?tls=optional",
    "1025",
    /identity-svc: SMTP_URL asks mailpit for STARTTLS/,
  ],
  ["a writable root file system", "read_only: true", "read_only: false", /gateway: may write to its root/],
])("reports %s", async (_what, from, to, problem) => {
  expect(compose).toContain(from);
  expect((await checkCompose(compose.replace(from, to))).join("\n")).toMatch(problem);
});
