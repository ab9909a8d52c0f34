import type { ServiceNames, Tree } from "./tree.ts";

/** The service whose manifests and entries a new one's are made after: it has gRPC, a worker and no HTTP. */
const model = { name: "ads", pascal: "Ads", upper: "ADS", port: 8098 };

/** Adds a new service to every place that lists services. A place that no longer looks as expected is an error that names it. */
export function registerService(tree: Tree, names: ServiceNames, offset: number): void {
  const renamed = (text: string): string =>
    text
      .replaceAll(`${model.name}-svc`, `${names.name}-svc`)
      .replaceAll(new RegExp(`\\b${model.name}\\b`, "g"), names.name)
      .replaceAll(`connect${model.pascal}`, `connect${names.pascal}`)
      .replaceAll(`${model.upper}_`, `${names.upper}_`)
      .replaceAll(`${model.port}`, `${names.port}`)
      .replaceAll(`${model.name}-team`, `${names.name}-team`);
  const edit = (path: string, pattern: RegExp, replacement: (match: string) => string): void => {
    const text = tree.read(path, "utf-8") ?? "";
    if (!pattern.test(text)) throw new Error(`${path} has no ${pattern}; update tools/generators`);
    pattern.lastIndex = 0;
    tree.write(path, text.replace(pattern, replacement));
  };
  /** Repeats what matches under the new service's name, behind it. */
  const repeat = (path: string, pattern: RegExp): void => edit(path, pattern, (match) => match + renamed(match));

  copyManifests(tree, renamed, edit);
  for (const overlay of tree.children("k8s/overlays")) {
    const folder = `k8s/overlays/${overlay}`;
    const path = `${folder}/${model.name}-svc/kustomization.yaml`;
    tree.write(renamed(path), renamed(tree.read(path, "utf-8") ?? ""));
    repeat(`${folder}/kustomization.yaml`, /^ {2}- ads-svc\n/m);
    repeat(`${folder}/common/kustomization.yaml`, /^ {2}- \{ name: platform\/ads-svc,.*\n/m);
  }
  repeat("k8s/components/prometheus-operator/alerts.yaml", /(?:^ {12}or on .*app="ads-svc".*\n)+/m);
  repeat("k8s/components/config/platform.env", /^ADS_GRPC=.*\n/m);
  repeat("k8s/base/gateway/server.yaml", /^ {12}- name: ADS_GRPC\n {14}valueFrom:\n.*ADS_GRPC \}\n/m);
  repeat("k8s/base/gateway/network-policy.yaml", /^ {4}- to:\n {8}- podSelector:\n.*ads-svc \}\n {6}ports: .*\n/m);

  repeat("compose.yaml", /^ {2}ADS_GRPC: .*\n/m);
  repeat("compose.yaml", /^ {2}ads-svc: &ads\n(?:.*\n)*? {2}ads-svc-worker:\n(?: {4}.*\n)*\n/m);
  repeat(".env.example", /^ADS_SERVICE_KEY=\n/m);
  edit("ops/compose/make-certificates.sh", / operator"\n/, () => ` ${names.name}-svc operator"\n`);

  edit("tools/containers/lib.sh", / ads-svc"/g, () => ` ads-svc ${names.name}-svc"`);
  edit("tools/containers/lib.sh", / ads-svc\) echo 8098 ;;/, (match) => match + renamed(match));
  repeat("tools/containers/kind.sh", /^ {4}secret ads-svc .*\n/m);
  edit("tools/checks/src/dashboards/panels.ts", /^ {2}"ads-svc": service\(/m, (match) => {
    return `  "${names.name}-svc": service("${names.name}-svc", []),\n${match}`;
  });

  repeat("apps/gateway/src/config.ts", /^ {2}ADS_GRPC: .*\n/m);
  repeat("apps/gateway/src/config.ts", /^ {6}ads: env\.ADS_GRPC,\n/m);
  const upstreams = "apps/gateway/src/upstreams.ts";
  repeat(upstreams, /^import \{ connectAds \} .*\n/m);
  edit(upstreams, / \| "ads", string>/, () => ` | "ads" | "${names.name}", string>`);
  repeat(upstreams, /^ {4}ads: connect\(.*\n/m);
  repeat(upstreams, /^ {4}ads: connectAds\(.*\n/m);
  repeat("libs/service-kit/src/grpc/caller-identity.ts", /^ {2}\| "ads-svc"\n/m);

  edit("tools/stack/src/service-names.ts", /\] as const/, () => `, "${names.name}"] as const`);
  edit("tools/stack/src/ports.ts", /^ {4}ads: service\(.*\n/m, (match) => {
    return `${match}    ${names.name}: service(${offset}, false, shift),\n`;
  });

  const layers = "tools/platform/src/layers.ts";
  repeat(layers, /^import \{ parts as ads \} .*\n/m);
  edit(layers, /\.\.\.ads\]/, () => `...ads, ...${names.name}]`);
  repeat("tools/platform/package.json", /^ {4}"@platform\/ads-svc": .*\n/m);
  repeat("tools/checks/src/import-rules.ts", /^ {6}"@platform\/ads-svc",\n/m);
  repeat("tools/checks/src/import-rules.ts", /^ {2}serviceRule\("apps\/ads-svc"\),\n/m);
  edit("tools/checks/src/folder-rules.ts", /^export const folderRules: .*\n/m, (match) => {
    const rules = ['".": ["domain", "grpc", "store", "worker"]', "domain: []", 'grpc: ["domain", "store"]'];
    rules.push('store: ["domain"]', 'worker: ["domain", "store"]');
    return `${match}  "apps/${names.name}-svc": {\n${rules.map((rule) => `    ${rule},\n`).join("")}  },\n`;
  });

  edit(".github/workflows/release.yml", /"ads-svc-v\*"/, (match) => `${match}, ${renamed(match)}`);
  repeat(".github/CODEOWNERS", /^\/apps\/ads-svc\/ .*\n/m);
  repeat(".github/CODEOWNERS", /^\/proto\/projectintegration\/ads\/ .*\n/m);
  repeat(".github/CODEOWNERS", /^\/k8s\/base\/ads-svc\/ .*\n/m);
  edit("ARCHITECTURE.md", /^apps\/ads-svc\/.*\n/m, (match) => {
    return `${match}${`apps/${names.name}-svc/`.padEnd(27)}records, until this line says what it owns\n`;
  });
  edit("CHANGELOG.md", /\[ads-svc\]\([^)]*\)/, (match) => `${match}, ${renamed(match)}`);
  lockPackage(tree, names);
}

/** The manifests of the model without what belongs to operators and to Project Clients that are disabled, which a new service knows nothing of. */
function copyManifests(
  tree: Tree,
  renamed: (text: string) => string,
  edit: (path: string, pattern: RegExp, replacement: (match: string) => string) => void,
): void {
  const folder = `k8s/base/${model.name}-svc`;
  for (const file of tree.children(folder)) {
    tree.write(renamed(`${folder}/${file}`), renamed(tree.read(`${folder}/${file}`, "utf-8") ?? ""));
  }
  const policy = renamed(`${folder}/network-policy.yaml`);
  edit(policy, /^ {8}- podSelector:\n.*name: operator \}\n {8}- podSelector:\n.*name: console \}\n/m, () => "");
  edit(policy, /^ {4}# identity-svc says .*\n(?: {4}.*\n)*/m, () => "");
  for (const file of ["server", "worker"])
    edit(renamed(`${folder}/${file}.yaml`), /^ {12}- name: IDENTITY_GRPC\n {14}valueFrom:\n.*\n/m, () => "");
}

/** The package's entries in the lock file, as npm would write them. */
function lockPackage(tree: Tree, { name }: ServiceNames): void {
  const lock = JSON.parse(tree.read("package-lock.json", "utf-8") ?? "") as { packages: Record<string, object> };
  const manifest = JSON.parse(tree.read(`apps/${name}-svc/package.json`, "utf-8") ?? "") as Record<string, unknown>;
  const { name: packageName, version, license, dependencies, devDependencies } = manifest;
  lock.packages[`apps/${name}-svc`] = { name: packageName, version, license, dependencies, devDependencies };
  const platform = JSON.parse(tree.read("tools/platform/package.json", "utf-8") ?? "") as Record<string, unknown>;
  lock.packages["tools/platform"] = { ...lock.packages["tools/platform"], dependencies: platform.dependencies };
  lock.packages[`node_modules/@platform/${name}-svc`] = { resolved: `apps/${name}-svc`, link: true };
  const [root = [""], ...others] = Object.entries(lock.packages);
  others.sort(([first], [second]) => (first < second ? -1 : 1));
  const sorted = { ...lock, packages: Object.fromEntries([root, ...others]) };
  tree.write("package-lock.json", `${JSON.stringify(sorted, null, 2)}\n`);
}
