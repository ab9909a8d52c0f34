import { serviceNames, services } from "@platform/contracts/services";
import { parse } from "yaml";
import { withoutRegions } from "./regions.ts";

/** Renders the server and the worker of a service that needs only what every service needs. */
function containersOf(name: (typeof serviceNames)[number]): string[] {
  const app = `${name}-svc`;
  const key = `      SERVICE_KEY: \${${name.toUpperCase()}_SERVICE_KEY:?set it in .env}`;
  const limits = '    deploy: { resources: { limits: { cpus: "2", memory: 512M, pids: 512 } } }';
  const { grpcPort } = services[name];
  return [
    `  ${app}: &${name}`,
    "    <<: *service",
    `    build: { context: ., args: { APP: ${app} } }`,
    `    image: platform/${app}:\${RELEASE:-dev}`,
    "    command: [--min-semi-space-size=32, --heap-growing-percent=200, src/start-server.ts]",
    "    environment:",
    "      <<: [*addresses, *database, *operators]",
    key,
    "    volumes:",
    `      - { type: volume, source: certificates, target: /tls, read_only: true, volume: { subpath: ${app} } }`,
    `    ports: ["127.0.0.1:${grpcPort}:${grpcPort}"]`,
    limits,
    `  ${app}-worker:`,
    `    <<: *${name}`,
    "    command: [src/start-worker.ts]",
    "    environment:",
    "      <<: [*addresses, *database]",
    key,
    "    ports: []",
    limits,
    "",
  ];
}

/** Renders the containers of the services that compose.yaml does not describe by hand. */
export function composeServices(compose: string): string[] {
  const written = parse(withoutRegions(compose), { merge: true }) as { readonly services: object };
  return serviceNames.filter((name) => !(`${name}-svc` in written.services)).flatMap(containersOf);
}
