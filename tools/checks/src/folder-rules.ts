import { serviceNames } from "@platform/contracts/services";

type FolderRules = Readonly<Record<string, readonly string[]>>;

/** The folders of a service with gRPC and a worker alone; one with more of them has rules of its own below. */
const serviceFolders: FolderRules = {
  ".": ["domain", "grpc", "store", "worker"],
  domain: [],
  grpc: ["domain", "store"],
  store: ["domain"],
  worker: ["domain", "store"],
};

/**
 * Inside a workspace: which folder of `src` may import which other ones. `.` is the wiring at the root of `src`. A folder that is not listed
 * fails the build; folders below a listed one follow its rule.
 */
export const folderRules: Readonly<Record<string, FolderRules>> = {
  ...Object.fromEntries(serviceNames.map((name) => [`apps/${name}-svc`, serviceFolders])),
  "apps/ads-svc": {
    ".": ["grpc", "ledger", "store", "tokens", "worker"],
    domain: [],
    grpc: ["domain", "ledger", "store", "tokens"],
    ledger: ["domain", "store"],
    store: ["domain"],
    tokens: ["domain", "store"],
    worker: ["domain", "ledger", "store"],
  },
  "apps/console": {
    ".": ["calls", "http", "monitoring", "redis", "sign-in"],
    calls: [],
    http: [".", "calls", "monitoring", "plots", "redis", "sign-in"],
    monitoring: [],
    plots: [],
    redis: [],
    "sign-in": [],
  },
  "apps/events-svc": {
    ".": ["grpc", "redis", "store", "worker"],
    domain: [],
    grpc: ["domain", "store"],
    redis: [],
    store: ["domain"],
    worker: ["domain", "store"],
  },
  "apps/files-svc": {
    ".": ["bytes", "content", "domain", "grpc", "http", "redis", "store", "worker"],
    bytes: [],
    content: ["domain", "store"],
    domain: [],
    grpc: ["content", "domain", "store"],
    http: ["bytes", "domain", "store"],
    redis: [],
    store: ["domain"],
    worker: ["content", "domain", "store"],
  },
  "apps/gateway": {
    ".": ["admission-control", "handlers", "http", "pipeline", "redis"],
    "admission-control": [],
    handlers: ["."],
    http: [".", "admission-control", "pipeline"],
    openapi: [],
    pipeline: [".", "admission-control", "redis"],
    redis: ["."],
  },
  "apps/identity-svc": {
    ".": ["domain", "grpc", "http", "mail", "operations", "redis", "store", "worker"],
    domain: [],
    grpc: [".", "domain", "operations", "store"],
    http: [".", "domain", "operations"],
    mail: [".", "domain"],
    operations: [".", "domain", "store"],
    redis: [],
    store: ["domain"],
    worker: ["domain", "mail", "operations", "store"],
  },
  "apps/notify-svc": {
    ".": ["domain", "grpc", "http", "providers", "store", "worker"],
    domain: [],
    grpc: [".", "domain", "store"],
    http: ["domain", "store"],
    providers: ["domain"],
    store: [".", "domain"],
    worker: [".", "domain", "providers", "store"],
  },
  "libs/backup": {
    ".": [],
  },
  "libs/client": {
    ".": ["generated", "webhooks"],
    testing: ["."],
    viewability: ["."],
    webhooks: [".", "generated"],
  },
  "libs/contracts": {
    ".": ["operations"],
    operations: ["."],
    operator: [],
  },
  "libs/quota": {
    ".": [],
  },
  "libs/service-kit": {
    clients: ["errors", "grpc", "jobs", "process", "secrets"],
    errors: [],
    fields: [],
    grpc: ["errors", "fields", "jobs", "mongo", "process", "secrets", "tracing"],
    http: ["grpc", "mongo", "process"],
    jobs: ["errors", "mongo", "process", "tracing"],
    mail: [],
    mongo: ["errors", "fields", "process", "secrets", "tracing"],
    outbound: [],
    "platform-events": ["errors", "grpc", "jobs", "mongo", "process", "secrets"],
    process: ["tracing"],
    secrets: [],
    operator: ["errors", "fields", "grpc", "jobs", "mail", "mongo", "process", "secrets"],
    "platform-service": ["clients", "fields", "grpc", "jobs", "mongo", "operator", "platform-events", "service"],
    service: ["fields", "grpc", "http", "jobs", "mongo", "outbound", "process", "secrets", "tracing"],
    tracing: [],
    webhooks: ["fields"],
  },
  "libs/test-kit": {
    ".": [],
  },
  "tools/bench": {
    ".": ["checkout", "load", "rows"],
    checkout: [],
    load: ["checkout"],
    rows: [".", "checkout", "load"],
    servers: [],
  },
  "tools/checks": {
    ".": [],
    dashboards: ["."],
    images: [],
    manifests: ["."],
    nx: [".", "dashboards", "manifests", "rendered"],
    rendered: ["."],
    workflows: ["."],
  },
  "tools/embedded-mongo": {
    ".": ["commands"],
    commands: ["."],
  },
  "tools/generators": {
    service: [],
  },
  "tools/oidc-provider": {
    ".": [],
  },
  "tools/platform": {
    ".": [],
  },
  "tools/platformctl": {
    ".": ["commands", "sign-in"],
    commands: [".", "sign-in"],
    "sign-in": ["."],
  },
  "tools/provider-sink": {
    ".": ["apns", "control", "faults", "fcm", "line", "smtp", "store", "web-push"],
    apns: [".", "faults"],
    control: ["faults", "store", "web-push"],
    faults: ["store"],
    fcm: ["faults"],
    line: ["faults", "store"],
    smtp: [".", "faults", "store"],
    store: [],
    "web-push": ["faults", "store"],
  },
  "tools/stack": {
    ".": [],
  },
  "tools/test-clients": {
    ".": [],
  },
  "tools/test-cluster": {
    ".": ["cluster", "environment", "machine", "steps"],
    cluster: [],
    environment: ["cluster"],
    machine: [],
    steps: ["cluster", "environment", "machine"],
  },
  "tools/test-engines": {
    ".": ["images", "load"],
    images: [],
    load: [],
  },
  "tools/test-store": {
    ".": [],
  },
  "tools/torture": {
    ".": ["domains", "hostile"],
    domains: ["."],
    hostile: [".", "domains"],
  },
};
