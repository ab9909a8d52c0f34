import { serviceNames } from "@platform/contracts/services";

type FolderRules = Readonly<Record<string, readonly string[]>>;

/**
 * The folders of a service that has only gRPC and a worker. Services with further folders have their own rules below.
 */
const serviceFolders: FolderRules = {
  ".": ["domain", "grpc", "store", "worker"],
  domain: [],
  grpc: ["domain", "store"],
  store: ["domain"],
  worker: ["domain", "store"],
};

/**
 * The folders of `src` in a workspace, each with the folders that it may import. `.` is the wiring at the root of
 * `src`. A folder that is not listed fails the build; folders below a listed one follow its rule.
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
    redis: ["domain"],
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
    http: [".", "domain", "locales", "operations"],
    locales: ["domain"],
    mail: [".", "domain", "locales"],
    operations: [".", "domain", "store"],
    redis: [],
    store: ["domain"],
    worker: ["domain", "mail", "operations", "store"],
  },
  "apps/notify-svc": {
    ".": ["bounces", "domain", "grpc", "http", "providers", "store", "worker"],
    bounces: [".", "domain", "store"],
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
    browser: ["."],
    "service-worker": [],
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
  "libs/kit": {
    process: [],
    rpc: ["process"],
    store: ["process", "rpc"],
    jobs: ["process", "rpc", "store"],
    web: ["process", "rpc", "store", "jobs"],
    service: ["process", "rpc", "store", "jobs", "web"],
    doors: ["process", "rpc", "store", "jobs", "web", "service"],
  },
  "libs/operator-plane": {
    operators: [],
    clients: [],
    "platform-events": [],
    machines: [],
    search: ["operators"],
    retention: ["operators"],
    usage: ["operators"],
    service: ["operators", "clients", "platform-events", "search"],
    doors: ["operators", "clients", "platform-events", "machines", "search", "retention", "usage", "service"],
  },
  "tools/test-kit": {
    ".": [],
  },
  "tools/proofs/bench": {
    ".": ["checkout", "load", "rows"],
    checkout: [],
    load: ["checkout"],
    programs: ["."],
    rows: [".", "checkout", "load", "programs"],
    servers: [],
    verdicts: ["."],
  },
  "tools/checks": {
    ".": ["console-kit"],
    "console-kit": ["."],
    dashboards: ["."],
    images: [],
    manifests: ["."],
    nx: [".", "dashboards", "manifests", "rendered"],
    prose: [".", "nx"],
    rendered: ["."],
    workflows: ["."],
  },
  "tools/embedded-mongo": {
    ".": ["commands"],
    commands: ["."],
  },
  "tools/docs-site": { ".": [] },
  "tools/generators": {
    service: [],
  },
  "tools/local/oidc-provider": {
    ".": [],
  },
  "tools/platform": {
    ".": [],
  },
  "tools/platformctl": {
    ".": ["commands", "sign-in"],
    commands: [".", "mcp", "sign-in"],
    mcp: [".", "sign-in"],
    "sign-in": ["."],
  },
  "tools/release": {
    ".": [],
  },
  "tools/provider-sink": {
    ".": ["apns", "control", "faults", "fcm", "line", "page", "smtp", "store", "web-push"],
    apns: [".", "faults"],
    control: ["faults", "page", "store", "web-push"],
    faults: ["store"],
    fcm: ["faults"],
    line: ["faults", "store"],
    page: ["store"],
    smtp: [".", "faults", "store"],
    store: [],
    "web-push": ["faults", "store"],
  },
  "tools/local/platform-local": {
    ".": [],
  },
  "tools/local/stack": {
    ".": [],
  },
  "tools/proofs/test-clients": {
    ".": [],
  },
  "tools/proofs/test-cluster": {
    ".": ["cluster", "environment", "machine", "steps"],
    cluster: [],
    environment: ["cluster"],
    machine: [],
    steps: ["cluster", "environment", "machine"],
  },
  "tools/proofs/test-engines": {
    ".": ["images", "load", "registry"],
    images: [],
    load: [],
    registry: ["images"],
  },
  "tools/proofs/test-store": {
    ".": [],
  },
  "tools/proofs/torture": {
    ".": ["domains", "hostile"],
    domains: ["."],
    hostile: [".", "domains"],
  },
};
