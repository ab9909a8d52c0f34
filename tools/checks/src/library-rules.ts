/** Additional packages that tests of any workspace may import. */
export const testPackages: readonly string[] = [
  "@platform/test-kit",
  "@platform/provider-sink",
  "@platform/embedded-mongo",
  "@platform/oidc-provider",
  "@platform/stack",
];

/** Libraries that only some folders may import, so that each mechanism exists once. Tests may import any. */
export const libraryRules: readonly { readonly library: string; readonly mayImport: readonly RegExp[] }[] = [
  {
    library: "mongoose",
    mayImport: [
      /^libs\/(backup|kit\/src\/store)\//,
      /^libs\/operator-plane\/src\/(operators\/(operator-actions|resource-owners)|search\/record-search|retention\/retention-settings|usage\/usage-counts|machines\/machine-tokens)\.ts$/,
      /^apps\/[^/]+\/src\/store\//,
    ],
  },
  {
    library: "mongodb",
    mayImport: [/^libs\/kit\/src\/store\//, /^apps\/[^/]+\/src\/store\//, /^tools\//],
  },
  {
    library: "express",
    mayImport: [/^apps\/[^/]+\/src\/http\//, /^tools\/provider-sink\//, /^tests\/sample-project\//],
  },
  {
    library: "ioredis",
    mayImport: [/^libs\/quota\//, /^apps\/[^/]+\/src\/redis\//, /^apps\/gateway\/src\/health-probe\.ts$/, /^tools\//],
  },
  { library: "zod", mayImport: [/^libs\/(backup|contracts|kit)\//, /^apps\//, /^tools\//] },
];
