/** Packages that tests of any workspace may import besides. */
export const testPackages: readonly string[] = [
  "@platform/test-kit",
  "@platform/provider-sink",
  "@platform/embedded-mongo",
  "@platform/oidc-provider",
  "@platform/stack",
];

/** Libraries that only some folders may import, so that each mechanism stands once. Tests may import any. */
export const libraryRules: readonly { readonly library: string; readonly mayImport: readonly RegExp[] }[] = [
  {
    library: "mongoose",
    mayImport: [/^libs\/(backup|service-kit\/src\/(mongo|tracing\/mongo-spans))/, /^apps\/[^/]+\/src\/store\//],
  },
  {
    library: "mongodb",
    mayImport: [/^libs\/(test-kit|service-kit\/src\/mongo)\//, /^apps\/[^/]+\/src\/store\//, /^tools\//],
  },
  {
    library: "express",
    mayImport: [/^apps\/[^/]+\/src\/http\//, /^tools\/provider-sink\//, /^tests\/sample-project\//],
  },
  {
    library: "ioredis",
    mayImport: [
      /^libs\/(quota|test-kit)\//,
      /^apps\/[^/]+\/src\/redis\//,
      /^apps\/gateway\/src\/health-probe\.ts$/,
      /^tools\//,
    ],
  },
  { library: "zod", mayImport: [/^libs\/(backup|contracts|service-kit)\//, /^apps\//, /^tools\//] },
];
