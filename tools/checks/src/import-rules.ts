import { serviceNames } from "@platform/contracts/services";

/** Import rules of ARCHITECTURE.md as data. An import that is not listed is forbidden. */
export type WorkspaceRule = {
  /** Folder of the workspaces that the rule applies to; `*` stands for one name. */
  readonly folder: string;
  /** Workspace packages that they may import. */
  readonly mayImport: readonly string[];
};

const appRule = (folder: string, besides: string): WorkspaceRule => ({
  folder,
  mayImport: ["@platform/kit", "@platform/operator-plane", "@platform/quota", "@platform/proto", besides],
});
export const workspaceRules: readonly WorkspaceRule[] = [
  { folder: "proto", mayImport: [] },
  { folder: "libs/contracts", mayImport: ["@platform/proto"] },
  { folder: "libs/quota", mayImport: [] },
  { folder: "libs/client", mayImport: ["@platform/contracts"] },
  { folder: "libs/kit", mayImport: ["@platform/proto", "@platform/quota"] },
  { folder: "libs/operator-plane", mayImport: ["@platform/kit", "@platform/proto", "@platform/quota"] },
  { folder: "libs/backup", mayImport: ["@platform/kit"] },
  { folder: "tools/test-kit", mayImport: ["@platform/embedded-mongo", "@platform/kit", "@platform/proto"] },
  appRule("apps/gateway", "@platform/contracts"),
  ...serviceNames.map((name) => appRule(`apps/${name}-svc`, "@platform/backup")),
  appRule("apps/console", "@platform/contracts"),
  { folder: "tools/embedded-mongo", mayImport: [] },
  // The sink imports the kit only for `html`. It parses messages with its own code, so that it does not repeat a mistake of the platform.
  { folder: "tools/provider-sink", mayImport: ["@platform/kit"] },
  {
    folder: "tools/platformctl",
    mayImport: ["@platform/contracts", "@platform/proto", "@platform/kit", "@platform/operator-plane"],
  },
  {
    folder: "tools/platform",
    mayImport: [
      "@platform/gateway",
      "@platform/console",
      "@platform/contracts",
      ...serviceNames.map((name) => `@platform/${name}-svc`),
      "@platform/kit",
    ],
  },
  {
    folder: "tools/local/stack",
    mayImport: [
      "@platform/contracts",
      "@platform/oidc-provider",
      "@platform/platform",
      "@platform/platformctl",
      "@platform/kit",
    ],
  },
  {
    folder: "tools/checks",
    mayImport: [
      "@platform/contracts",
      "@platform/proto",
      "@platform/kit",
      "@platform/release",
      "@platform/stack",
      "@platform/test-kit",
      "@platform/operator-plane",
    ],
  },
  { folder: "tools/docs-site", mayImport: ["@platform/platformctl"] },
  { folder: "tools/generators", mayImport: ["@platform/contracts", "@platform/release", "@platform/stack"] },
  { folder: "tools/release", mayImport: [] },
  { folder: "tools/local/oidc-provider", mayImport: [] },
  { folder: "tools/local/platform-local", mayImport: ["@platform/contracts", "@platform/stack"] },
  {
    folder: "tools/proofs/bench",
    mayImport: ["@platform/proto", "@platform/kit", "@platform/quota", "@platform/stack", "@platform/test-kit"],
  },
  {
    folder: "tools/proofs/torture",
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
    folder: "tools/proofs/test-store",
    mayImport: [
      "@platform/checks",
      "@platform/contracts",
      "@platform/stack",
      "@platform/test-kit",
      "@platform/torture",
    ],
  },
  {
    folder: "tools/proofs/test-clients",
    mayImport: [
      "@platform/checks",
      "@platform/contracts",
      "@platform/docs-site",
      "@platform/stack",
      "@platform/test-kit",
    ],
  },
  {
    folder: "tools/proofs/test-engines",
    mayImport: [
      "@platform/checks",
      "@platform/contracts",
      "@platform/oidc-provider",
      "@platform/provider-sink",
      "@platform/stack",
      "@platform/test-kit",
      "@platform/torture",
    ],
  },
  {
    folder: "tools/proofs/test-cluster",
    mayImport: [
      "@platform/checks",
      "@platform/contracts",
      "@platform/release",
      "@platform/stack",
      "@platform/test-engines",
      "@platform/test-kit",
    ],
  },
  {
    folder: "tests/acceptance",
    mayImport: [
      "@platform/contracts",
      "@platform/docs-site",
      "@platform/stack",
      "@platform/test-kit",
      "@platform/provider-sink",
      "@platform/oidc-provider",
      "@platform/client",
      "@platform/platform-local",
      "@platform/platformctl",
      "@platform/sample-project",
    ],
  },
  { folder: "tests/sample-project", mayImport: ["@platform/client"] },
];

/** Files that may read process.env: entry points and configuration. */
export const envReaders: readonly RegExp[] = [
  /^apps\/[^/]+\/src\/(config|main|start-[a-z]+|migrate|backup|bucket)\.ts$/,
  /^tools\//,
  /^tests\//,
  /^libs\/kit\/src\/process\/run\.ts$/,
  /^vitest\.config\.ts$/,
];

/** File and folder names that carry no meaning and are therefore refused. */
export const rejectedNames: readonly string[] = ["utils", "util", "common", "helpers", "helper", "shared", "misc"];

/** Maximum number of lines in a hand-written file. */
export const fileLinesMax = 300;
