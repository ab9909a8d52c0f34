/** What may import what: the rules of ARCHITECTURE.md as data. Anything unlisted is forbidden. */
export type WorkspaceRule = {
  /** Folder of the workspaces the rule is for; `*` stands for one name. */
  readonly folder: string;
  /** Workspace packages they may import. */
  readonly mayImport: readonly string[];
};

const serviceRule = (folder: string, ...besides: readonly string[]): WorkspaceRule => ({
  folder,
  mayImport: ["@platform/service-kit", "@platform/quota", "@platform/proto", ...besides],
});

export const workspaceRules: readonly WorkspaceRule[] = [
  { folder: "proto", mayImport: [] },
  { folder: "libs/contracts", mayImport: [] },
  { folder: "libs/quota", mayImport: [] },
  { folder: "libs/client", mayImport: ["@platform/contracts"] },
  { folder: "libs/service-kit", mayImport: ["@platform/proto", "@platform/quota"] },
  { folder: "libs/test-kit", mayImport: ["@platform/embedded-mongo", "@platform/service-kit", "@platform/proto"] },
  serviceRule("apps/gateway", "@platform/contracts"),
  serviceRule("apps/identity-svc"),
  serviceRule("apps/files-svc"),
  serviceRule("apps/notify-svc"),
  serviceRule("apps/events-svc"),
  serviceRule("apps/ads-svc"),
  serviceRule("apps/console", "@platform/contracts"),
  { folder: "tools/embedded-mongo", mayImport: [] },
  { folder: "tools/provider-sink", mayImport: [] },
  { folder: "tools/platformctl", mayImport: ["@platform/contracts", "@platform/proto", "@platform/service-kit"] },
  {
    folder: "tools/platform",
    mayImport: [
      "@platform/gateway",
      "@platform/console",
      "@platform/identity-svc",
      "@platform/files-svc",
      "@platform/notify-svc",
      "@platform/events-svc",
      "@platform/ads-svc",
      "@platform/service-kit",
    ],
  },
  {
    folder: "tools/stack",
    mayImport: ["@platform/oidc-provider", "@platform/platform", "@platform/platformctl", "@platform/service-kit"],
  },
  {
    folder: "tools/checks",
    mayImport: [
      "@platform/contracts",
      "@platform/proto",
      "@platform/service-kit",
      "@platform/stack",
      "@platform/test-kit",
    ],
  },
  { folder: "tools/generators", mayImport: ["@platform/stack"] },
  { folder: "tools/oidc-provider", mayImport: [] },
  {
    folder: "tools/bench",
    mayImport: ["@platform/proto", "@platform/service-kit", "@platform/stack", "@platform/test-kit"],
  },
  {
    folder: "tools/torture",
    mayImport: [
      "@platform/bench",
      "@platform/contracts",
      "@platform/platformctl",
      "@platform/proto",
      "@platform/stack",
      "@platform/test-kit",
    ],
  },
  {
    folder: "tools/test-store",
    mayImport: ["@platform/checks", "@platform/stack", "@platform/test-kit", "@platform/torture"],
  },
  { folder: "tools/test-clients", mayImport: ["@platform/checks", "@platform/contracts", "@platform/stack"] },
  {
    folder: "tools/test-engines",
    mayImport: [
      "@platform/checks",
      "@platform/oidc-provider",
      "@platform/provider-sink",
      "@platform/stack",
      "@platform/test-kit",
    ],
  },
  {
    folder: "tests/acceptance",
    mayImport: [
      "@platform/contracts",
      "@platform/stack",
      "@platform/test-kit",
      "@platform/provider-sink",
      "@platform/oidc-provider",
      "@platform/client",
      "@platform/sample-project",
    ],
  },
  { folder: "tests/sample-project", mayImport: ["@platform/client"] },
];

/**
 * Inside a workspace: which folder of `src` may import which other ones. `.` is the wiring at the root of `src`. A folder that is not listed
 * fails the build; folders below a listed one follow its rule.
 */
export const folderRules: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
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
  "libs/client": {
    ".": ["generated", "webhooks"],
    testing: ["."],
    viewability: ["."],
    webhooks: [".", "generated"],
  },
  "libs/contracts": {
    ".": ["operations"],
    operations: ["."],
  },
  "libs/quota": {
    ".": [],
  },
  "libs/service-kit": {
    backups: ["process"],
    clients: ["errors", "grpc", "jobs", "process", "secrets"],
    errors: [],
    grpc: ["errors", "jobs", "mongo", "process", "secrets", "tracing"],
    http: ["grpc", "mongo", "process"],
    jobs: ["errors", "mongo", "process", "tracing"],
    mail: [],
    mongo: ["backups", "errors", "process", "secrets", "tracing"],
    outbound: [],
    "platform-events": ["errors", "grpc", "jobs", "mongo", "process", "secrets"],
    process: ["tracing"],
    secrets: [],
    operator: ["errors", "grpc", "jobs", "mail", "mongo", "process", "secrets"],
    service: [
      "backups",
      "clients",
      "grpc",
      "http",
      "jobs",
      "mongo",
      "operator",
      "outbound",
      "platform-events",
      "process",
      "secrets",
      "tracing",
    ],
    tracing: [],
    webhooks: [],
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
    nx: [".", "dashboards", "manifests"],
    shape: ["."],
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
  "tools/test-engines": {
    ".": ["images"],
    images: [],
  },
  "tools/test-store": {
    ".": [],
  },
  "tools/torture": {
    ".": ["domains"],
    domains: ["."],
  },
};

/** Files that may read process.env: entry points and configuration. */
export const envReaders: readonly RegExp[] = [
  /^apps\/[^/]+\/src\/(config|main|start-server|start-worker|start-both|migrate|backup|bucket)\.ts$/,
  /^tools\//,
  /^tests\//,
  /^libs\/test-kit\//,
  /^libs\/service-kit\/src\/process\/run\.ts$/,
  /^vitest\.config\.ts$/,
];

/** File and folder names that say nothing. */
export const rejectedNames: readonly string[] = ["utils", "util", "common", "helpers", "helper", "shared", "misc"];

/** Most lines of a hand-written file. */
export const fileLinesMax = 300;
