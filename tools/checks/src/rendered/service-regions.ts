import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { addressVariable } from "@platform/contracts/service-addresses";
import { processesOf, type ServiceName, serviceNames, services } from "@platform/contracts/services";
import { readSource, repositoryRoot } from "../source-files.ts";
import { composeServices } from "./compose-services.ts";
import type { Region } from "./regions.ts";

type Regions = Readonly<Record<string, Region>>;

const apps = serviceNames.map((name) => `${name}-svc`);
const listed = (lineOf: (name: ServiceName) => string | readonly string[]): Region => {
  const lines = serviceNames.flatMap(lineOf);
  return () => lines;
};

/** Returns the variables with a service's addresses, and the ports that they name. */
const addresses = (name: ServiceName): (readonly [variable: string, protocol: "GRPC" | "HTTP", port: number])[] => {
  const { grpcPort, httpPort } = services[name];
  return [
    [addressVariable(name, "GRPC"), "GRPC", grpcPort],
    ...(httpPort === null ? [] : [[addressVariable(name, "HTTP"), "HTTP", httpPort] as const]),
  ];
};

/** Renders entries of a container's environment that come from the ConfigMap of its app. */
const environment = (app: string, protocols: readonly ("GRPC" | "HTTP")[]): Region =>
  listed((name) =>
    addresses(name)
      .filter(([, protocol]) => protocols.includes(protocol))
      .flatMap(([variable]) => [
        `            - name: ${variable}`,
        "              valueFrom:",
        `                configMapKeyRef: { name: ${app}-platform, key: ${variable} }`,
      ]),
  );

const podSelector = (name: string): string[] => [
  "        - podSelector:",
  `            matchLabels: { app.kubernetes.io/name: ${name} }`,
];
const egress = (portsOf: (name: ServiceName) => readonly (number | string)[]): Region =>
  listed((name) => [
    "    - to:",
    ...podSelector(`${name}-svc`),
    `      ports: [${portsOf(name)
      .map((port) => `{ port: ${port} }`)
      .join(", ")}]`,
  ]);

const owners = listed((name) => {
  const { team } = services[name];
  return [
    `/apps/${name}-svc/`,
    `/proto/projectintegration/${name}/`,
    `/k8s/base/${name}-svc/`,
    `/k8s/overlays/*/${name}-svc/`,
  ].map((folder) => `${folder.padEnd(36)}@platform/${team}`);
});

const table: Region = () => [
  "| service | owns | team | gRPC port | HTTP port |",
  "|---|---|---|---|---|",
  ...serviceNames.map((name) => {
    const { owns, team, grpcPort, httpPort } = services[name];
    return `| ${name}-svc | ${owns} | ${team} | ${grpcPort} | ${httpPort ?? "–"} |`;
  }),
];

const secrets = listed((name) => [
  "---",
  "apiVersion: external-secrets.io/v1",
  "kind: ExternalSecret",
  "metadata:",
  `  name: ${name}-svc`,
  `  labels: { app.kubernetes.io/name: ${name}-svc, app.kubernetes.io/part-of: platform }`,
  "spec:",
  "  refreshInterval: 1h",
  "  secretStoreRef: { name: platform, kind: SecretStore }",
  `  target: { name: ${name}-svc }`,
  `  dataFrom: [{ extract: { key: platform/production/${name}-svc } }]`,
]);

/** Renders an array of strings as Biome formats it. */
const array = (declaration: string, texts: readonly string[]): string[] => {
  const quoted = texts.map((text) => `"${text}"`);
  const line = `${declaration} = [${quoted.join(", ")}] as const;`;
  return line.length <= 120 ? [line] : [`${declaration} = [`, ...quoted.map((text) => `  ${text},`), "] as const;"];
};

const fixed: Readonly<Record<string, Regions>> = {
  ".github/CODEOWNERS": { owners },
  ".env.example": { keys: listed((name) => `${name.toUpperCase()}_SERVICE_KEY=`) },
  "ARCHITECTURE.md": { services: table },
  "compose.yaml": {
    addresses: listed((name) => addresses(name).map(([variable, , port]) => `  ${variable}: ${name}-svc:${port}`)),
    services: () => composeServices(readSource("compose.yaml")),
  },
  "k8s/base/console/network-policy.yaml": { services: egress(() => ["grpc"]) },
  "k8s/base/console/server.yaml": { addresses: environment("console", ["GRPC"]) },
  "k8s/base/events-svc/network-policy.yaml": { callers: () => apps.flatMap(podSelector) },
  "k8s/base/gateway/network-policy.yaml": { services: egress((name) => addresses(name).map(([, , port]) => port)) },
  "k8s/base/gateway/server.yaml": { addresses: environment("gateway", ["GRPC", "HTTP"]) },
  "k8s/base/gateway/transfers.yaml": { addresses: environment("gateway", ["GRPC", "HTTP"]) },
  "k8s/base/identity-svc/network-policy.yaml": {
    callers: () => apps.filter((app) => app !== "identity-svc").flatMap(podSelector),
  },
  "k8s/components/config/platform.env": {
    addresses: listed((name) =>
      addresses(name).map(
        ([variable, protocol, port]) => `${variable}=${name}-svc${protocol === "HTTP" ? "-http" : ""}:${port}`,
      ),
    ),
  },
  "k8s/components/prometheus-operator/alerts.yaml": {
    processes: listed((name) =>
      processesOf(name).map(
        (component) =>
          `            or on (app, component) absent_over_time(up{job="platform",app="${name}-svc",component="${component}"}[5m])`,
      ),
    ),
  },
  "k8s/examples/external-secrets/external-secrets.yaml": { secrets },
  "libs/kit/src/rpc/service-names.ts": { names: () => array("export const serviceNames", serviceNames) },
  "ops/compose/make-certificates.sh": { names: () => [`names="gateway ${apps.join(" ")} console operator"`] },
  "tools/containers/lib.sh": {
    services: () => [
      `services="${apps.join(" ")}"`,
      "port_of() {",
      '  case "$1" in',
      ...serviceNames.map((name) => `    ${name}-svc) echo ${services[name].grpcPort} ;;`),
      "  esac",
      "}",
    ],
  },
};

/** Returns every file with lines that are rendered from the list of services, and how each of its regions is rendered. */
export function serviceRegions(): Map<string, Regions> {
  const overlays = readdirSync(join(repositoryRoot, "k8s/overlays")).flatMap((overlay): [string, Regions][] => [
    [`k8s/overlays/${overlay}/kustomization.yaml`, { services: listed((name) => `  - ${name}-svc`) }],
  ]);
  return new Map([...Object.entries(fixed), ...overlays.filter(([path]) => namesServices(path))]);
}

/** Returns whether an overlay lists the services. It may instead be based on another overlay, which lists them. */
function namesServices(path: string): boolean {
  return existsSync(join(repositoryRoot, path)) && apps.some((app) => readSource(path).includes(app));
}
