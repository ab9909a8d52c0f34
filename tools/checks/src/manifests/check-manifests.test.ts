import { serviceNames } from "@platform/contracts/services";
import { test as anywhere, beforeAll, expect } from "vitest";
import { checkRequests } from "./capacity-rules.ts";
import { checkObjects, checkOwnSettings } from "./check-manifests.ts";
import { checkRegion } from "./dev-stores.ts";
import { type KubernetesObject, renderer, renderOverlay, rendersByKustomize5 } from "./render-overlay.ts";
import { checkDeploymentEnvironment } from "./route-rules.ts";

const test = anywhere.skipIf(renderer === null);
let production: KubernetesObject[];
let small: KubernetesObject[];
beforeAll(async () => {
  if (renderer === null) return;
  production = await renderOverlay("k8s/overlays/production");
  small = await renderOverlay("k8s/overlays/small");
}, 60_000);

/** Returns the problems of the production environment after one change to one object. */
async function problemsAfter(
  kind: string,
  name: string,
  change: (object: KubernetesObject) => void,
  environment = production,
): Promise<string[]> {
  const objects = structuredClone(environment);
  const object = objects.find((one) => one.kind === kind && one.metadata.name.replace(/-[a-z0-9]{10}$/, "") === name);
  if (object === undefined) throw new Error(`no ${kind} ${name}`);
  change(object);
  return checkObjects(objects);
}

/** The gateway, the console and the services. */
const apps = 2 + serviceNames.length;

const container = (object: KubernetesObject) => object.spec.template.spec.containers[0];
const variable = (object: KubernetesObject, name: string) =>
  container(object).env.find((one: { name: string }) => one.name === name);

const backupPod = (object: KubernetesObject) => object.spec.jobTemplate.spec.template.spec;
const backupContainer = (object: KubernetesObject) => backupPod(object).containers[0];

const removeBackupAlerts = (object: KubernetesObject): void => {
  for (const group of object.spec.groups as { rules: { alert: string }[] }[])
    group.rules = group.rules.filter(({ alert }) => !/^(Backup|RestoreDrill)/.test(alert));
};
const replaceInRules = (object: KubernetesObject, from: RegExp, to: string): void => {
  for (const group of object.spec.groups as { rules: { expr: string }[] }[])
    for (const one of group.rules) one.expr = one.expr.replace(from, to);
};
const rule = (object: KubernetesObject, name: string) =>
  object.spec.groups
    .flatMap(({ rules }: { rules: { alert: string; labels: object }[] }) => rules)
    .find(({ alert }: { alert: string }) => alert === name);

anywhere.each([
  ["v5.0.1", true],
  ["v5.5.0", true],
  ["v4.5.7", false],
])("decides by a kubectl with kustomize %s: %s", (kustomizeVersion, isNew) => {
  expect(rendersByKustomize5(JSON.stringify({ clientVersion: {}, kustomizeVersion }))).toBe(isNew);
});

anywhere("takes no kubectl that does not name its kustomize, as before 1.24", () => {
  expect(rendersByKustomize5('{"clientVersion":{"minor":"20"}}')).toBe(false);
});

anywhere("refuses to render without kubectl and Go, and names both", async () => {
  await expect(renderOverlay("k8s/overlays/local", null)).rejects.toThrow(/kubectl 1.27 or newer, or by Go/);
});

test("reports a setting of the environment that does not reach an app, and an environment without any", () => {
  const config = 'configMapGenerator: [{ name: platform, behavior: merge, literals: ["LOG_LEVEL=debug"] }]';
  expect(checkOwnSettings(config, production)).toHaveLength(apps);
  expect(checkOwnSettings(config.replace("debug", "info"), production)).toEqual([]);
  expect(checkOwnSettings("kind: Component", production)).toEqual([expect.stringContaining("has no setting")]);
});

test("finds no problem in the manifests", async () => {
  expect(await checkObjects(production)).toEqual([]);
}, 60_000);

test.each<[string, string, string, (object: KubernetesObject) => void, RegExp]>([
  ["a misspelt field", "Deployment", "ads-svc", (o) => Object.assign(container(o), { lifecycel: {} }), /unknown field .*lifecycel/],
  ["a value of the wrong type", "Service", "gateway", (o) => Object.assign(o.spec.ports[0], { port: "http" }), /must be integer/],
  ["a container that may run as root", "Deployment", "gateway", (o) => Object.assign(o.spec.template.spec.securityContext, { runAsNonRoot: false }), /may run as root/],
  ["a writable root file system", "Deployment", "gateway", (o) => Object.assign(container(o).securityContext, { readOnlyRootFilesystem: false }), /may write to its root/],
  ["a container without a memory limit", "Deployment", "events-svc", (o) => Reflect.deleteProperty(container(o).resources.limits, "memory"), /has no limit of memory/],
  ["a container without a readiness probe", "Deployment", "events-svc", (o) => Reflect.deleteProperty(container(o), "readinessProbe"), /has no readinessProbe/],
  ["a container that fails to start and may take an hour to end", "Deployment", "files-svc", (o) => Reflect.deleteProperty(container(o).startupProbe, "terminationGracePeriodSeconds"), /may take the pod's whole time to end when its startupProbe has failed/],
  ["an argument of Node that is gone", "Deployment", "gateway", (o) => Object.assign(container(o), { args: ["src/main.ts"] }), /gives Node "", not "--no-parallel-scavenge /],
  ["a service's server without the arguments of Node that the stack gives it", "Deployment", "ads-svc", (o) => Object.assign(container(o), { args: ["src/start-server.ts"] }), /gives Node "", not "--min-semi-space-size=32 --heap-growing-percent=200"/],
  ["an image without a version", "Deployment", "events-svc", (o) => Object.assign(container(o), { image: "events-svc:latest" }), /names no version/],
  ["too little time to drain", "Deployment", "files-svc", (o) => Object.assign(o.spec.template.spec, { terminationGracePeriodSeconds: 30 }), /at least 3625 s/],
  ["a memory limit below what uploads and children may take", "Deployment", "files-svc", (o) => Object.assign(container(o).resources.limits, { memory: "1Gi" }), /memory limit must be at least 3584Mi/],
  ["a work directory too small for the files that are classified at once", "Deployment", "files-svc-worker", (o) => Object.assign(o.spec.template.spec.volumes.find((one: { name: string }) => one.name === "work").emptyDir, { sizeLimit: "2Gi" }), /WORK_DIRECTORY must be a volume of at least 4096Mi/],
  ["a credential in plain sight", "Deployment", "files-svc", (o) => Object.assign(variable(o, "S3_SECRET_ACCESS_KEY"), { valueFrom: undefined, value: "key" }), /takes S3_SECRET_ACCESS_KEY from elsewhere than a Secret/],
  ["an object without labels", "Service", "gateway", (o) => Object.assign(o.metadata, { labels: {} }), /has no label app.kubernetes.io\/name/],
  ["an alert without a section", "PrometheusRule", "platform", (o) => Object.assign(o.spec.groups[0].rules[0].annotations, { runbook_url: "https://docs.platform.example/operations.md#nothing" }), /leads to no section/],
  ["a required variable that is not set", "Deployment", "notify-svc", (o) => Object.assign(variable(o, "SERVICE_KEY"), { name: "SERVICE_KEYS" }), /SERVICE_KEY: /],
  ["an address of Redis that is left at a developer's default", "Deployment", "notify-svc", (o) => Object.assign(variable(o, "REDIS_URL"), { name: "OTEL_RESOURCE_ATTRIBUTES" }), /REDIS_URL is not set/],
  ["a variable nothing reads", "Deployment", "notify-svc", (o) => container(o).env.push({ name: "SMTP_UR", value: "x" }), /SMTP_UR is read by nothing/],
  ["the operator's token where no operator calls", "Deployment", "files-svc-worker", (o) => container(o).env.push({ name: "OPERATOR_TOKEN", value: "0".repeat(64) }), /has the operator's token/],
  ["plain gRPC", "Deployment", "gateway", (o) => Object.assign(variable(o, "GRPC_TLS_KEY"), { name: "OTEL_SERVICE_NAME" }), /GRPC_TLS_KEY is not set: gRPC would be plain text/],
  ["a database in the gateway", "Deployment", "gateway", (o) => container(o).env.push({ name: "MONGODB_URI", value: "mongodb://m" }), /MONGODB_URI is read by nothing/],
  ["the operator's token in the gateway", "Deployment", "gateway", (o) => container(o).env.push({ name: "OPERATOR_TOKEN", value: "0".repeat(64) }), /OPERATOR_TOKEN is read by nothing|has the operator's token/],
  ["a malformed value", "Deployment", "events-svc", (o) => Object.assign(variable(o, "NATS_URL"), { value: "http://nats" }), /NATS_URL: must be nats:/],
  ["a port that differs from the configured one", "Deployment", "events-svc", (o) => Object.assign(variable(o, "GRPC_PORT"), { value: "9999" }), /port grpc is 8096, but GRPC_PORT is 9999/],
  ["an address that is no Service", "ConfigMap", "gateway-platform", (o) => Object.assign(o.data ?? {}, { FILES_GRPC: "files:8092" }), /FILES_GRPC is files:8092/],
  ["a caller the code does not let in", "NetworkPolicy", "files-svc", (o) => o.spec.ingress[0].from.push({ podSelector: { matchLabels: { "app.kubernetes.io/name": "ads-svc" } } }), /lets ads-svc, console, gateway, notify-svc, operator to port grpc; the code lets in console, gateway, notify-svc, operator/],
  ["a Deployment nothing scales", "HorizontalPodAutoscaler", "ads-svc", (o) => Object.assign(o.spec.scaleTargetRef, { name: "other" }), /no HorizontalPodAutoscaler/],
  ["a Deployment that can lose all its pods at once", "PodDisruptionBudget", "ads-svc", (o) => Object.assign(o.spec.selector.matchLabels, { "app.kubernetes.io/name": "x" }), /no PodDisruptionBudget/],
  ["a migration that is not the release's", "Job", "events-svc-migrate-0-1-0", (o) => Object.assign(o.metadata, { name: "events-svc-migrate-0-0-9" }), /events-svc-worker has no migration Job named by version 0-1-0/],
  ["a migration of another image", "Job", "ads-svc-migrate-0-1-0", (o) => Object.assign(container(o), { image: "registry.platform.example/platform/ads-svc:0.0.9" }), /ads-svc has no migration Job/],
  ["a migration with a deadline", "Job", "notify-svc-migrate-0-1-0", (o) => Object.assign(o.spec, { activeDeadlineSeconds: 600 }), /ended before a long index or backup/],
  ["a process that builds indexes by itself", "Deployment", "files-svc-worker", (o) => Object.assign(variable(o, "MONGODB_AUTO_INDEX"), { value: "true" }), /MONGODB_AUTO_INDEX must be false/],
  ["a caller of the HTTP port beside the gateway", "NetworkPolicy", "files-svc", (o) => o.spec.ingress[1].from.push({ podSelector: { matchLabels: { "app.kubernetes.io/name": "ads-svc" } } }), /lets ads-svc, gateway to port http; the code lets in gateway/],
  ["plain HTTP in a Service of pods with TLS", "Service", "files-svc-http", (o) => Object.assign(o.spec.ports[0], { appProtocol: "http" }), /files-svc-http: port http has appProtocol http, not https/],
  ["a port without a name", "Service", "gateway", (o) => Reflect.deleteProperty(o.spec.ports[0], "name"), /has a port without a name/],
  ["a ConfigMap whose change nobody notices", "Deployment", "gateway", (o) => Object.assign(variable(o, "PUBLIC_BASE_URL").valueFrom.configMapKeyRef, { name: "gateway-platform" }), /reads ConfigMap gateway-platform, which is not named by its content/],
  ["keys of a cloud's S3", "ServiceAccount", "files-svc", (o) => Object.assign(o.metadata, { annotations: {} }), /has no workload identity for S3/],
  ["a metric that the adapter does not serve", "HorizontalPodAutoscaler", "files-svc-worker", (o) => Object.assign(o.spec.metrics[0].pods.metric, { name: "platform_files_queue_age_seconds" }), /scaled by platform_files_queue_age_seconds, which .* does not serve/],
  ["people woken for paused bulkheads", "PrometheusRule", "platform", (o) => Object.assign(rule(o, "ProviderUnwell").labels, { severity: "page" }), /ProviderUnwell wakes people for paused bulkheads/],
  ["an alert without a severity", "PrometheusRule", "platform", (o) => Object.assign(rule(o, "RedisDown"), { labels: {} }), /RedisDown has no severity/],
  ["a store that no policy lets a process reach", "NetworkPolicy", "files-svc", (o) => Object.assign(o.spec.egress[0], { ports: [{ port: 27017 }, { port: 6379 }] }), /files-svc: .*CLAMD_URL.*3310.*no NetworkPolicy/],
  ["a service that no policy lets the gateway reach", "NetworkPolicy", "gateway", (o) => o.spec.egress.splice(3, 1), /gateway: .*NOTIFY_GRPC|gateway: .*NOTIFY_HTTP/],
  ["an identity provider that no policy lets identity-svc reach", "NetworkPolicy", "identity-svc-operator-sign-in", (o) => Object.assign(o.spec, { egress: [] }), /identity-svc: .*OPERATOR_OIDC_ISSUER.*no NetworkPolicy/],
  ["a Prometheus that no policy lets the console reach", "NetworkPolicy", "console-observability", (o) => o.spec.egress.splice(1, 1), /console: .*PROMETHEUS_URL.*9090.*no NetworkPolicy/],
  ["an Alertmanager that no policy lets the console reach", "NetworkPolicy", "console-observability", (o) => o.spec.egress.splice(0, 1), /console: .*ALERTMANAGER_URL.*9093.*no NetworkPolicy/],
  ["a service that nothing backs up", "CronJob", "ads-svc-backup", (o) => Object.assign(o.metadata, { name: "ads-backup" }), /ads-svc has no CronJob backup/],
  ["a service that nothing restores", "CronJob", "ads-svc-restore-drill", (o) => Object.assign(backupContainer(o), { args: ["src/backup.ts", "list"] }), /ads-svc has no CronJob restore-drill/],
  ["a backup by another image", "CronJob", "ads-svc-backup", (o) => Object.assign(backupContainer(o), { image: "registry.platform.example/platform/ads-svc:0.0.9" }), /ads-svc has no CronJob backup/],
  ["backups that run beside each other", "CronJob", "files-svc-backup", (o) => Object.assign(o.spec, { concurrencyPolicy: "Allow" }), /may run beside itself/],
  ["a backup that a serving process could remove", "CronJob", "files-svc-backup", (o) => Object.assign(backupPod(o), { serviceAccountName: "files-svc" }), /shares the ServiceAccount files-svc/],
  ["a backup that may write to its root", "CronJob", "events-svc-backup", (o) => Object.assign(backupContainer(o).securityContext, { readOnlyRootFilesystem: false }), /may write to its root/],
  ["a backup without a place", "CronJob", "notify-svc-backup", (o) => Object.assign(backupContainer(o).env[2], { name: "BACKUP_PLAC" }), /has no BACKUP_PLACE/],
  ["a backup to a malformed place", "CronJob", "notify-svc-backup", (o) => Object.assign(backupContainer(o).env[2], { valueFrom: undefined, value: "s3:platform" }), /BACKUP_PLACE: must be a folder or s3:/],
  ["a backup that no policy lets to its database", "NetworkPolicy", "identity-svc-backup", (o) => o.spec.egress.splice(0, 1), /identity-svc-backup: is let to no database/],
  ["a backup that no policy lets to S3", "NetworkPolicy", "identity-svc-backup", (o) => o.spec.egress.splice(1, 1), /identity-svc-backup: S3_ENDPOINT .*no NetworkPolicy/],
  ["keys of a cloud's S3 for backups", "ServiceAccount", "events-svc-backup", (o) => Object.assign(o.metadata, { annotations: {} }), /events-svc-backup: has no workload identity for S3/],
  ["backups whose absence nobody is told", "PrometheusRule", "platform", removeBackupAlerts, /no alert tells that it has not succeeded/],
  ["a worker whose absence nobody is told", "PrometheusRule", "platform", (o) => replaceInRules(o, /or on \(app, component\) absent_over_time\(up\{job="platform",app="events-svc",component="worker"\}\[5m\]\)/, ""), /no alert tells that events-svc worker is gone/],
  ["a Deployment without replicas that nobody is told of", "PrometheusRule", "platform", (o) => replaceInRules(o, /\|\.\+-svc-worker/, ""), /no alert tells that ads-svc-worker has no available replica/],
  ["a failed migration that nobody is told of", "PrometheusRule", "platform", (o) => replaceInRules(o, /migrate\|/, "|"), /no alert tells that the Job files-svc-migrate-0-1-0 failed/],
  ["a console whose live tails are cut", "HTTPRoute", "console", (o) => Object.assign(o.spec.rules[0].timeouts, { request: "30s" }), /HTTPRoute console: cuts what may last/],
  ["an API without TLS", "HTTPRoute", "gateway", (o) => Object.assign(o.spec.parentRefs[0], { sectionName: "http" }), /HTTPRoute gateway: serves without TLS/],
  ["an API at every listener", "HTTPRoute", "gateway", (o) => Reflect.deleteProperty(o.spec.parentRefs[0], "sectionName"), /HTTPRoute gateway: serves without TLS/],
  ["plain HTTP that leads nowhere", "HTTPRoute", "redirect-gateway", (o) => Object.assign(o.spec, { parentRefs: [{ name: "console", sectionName: "http" }] }), /Gateway platform: nothing redirects/],
  ["a rollout that does not wait for a pod that fails soon", "Deployment", "ads-svc", (o) => Reflect.deleteProperty(o.spec, "minReadySeconds"), /minReadySeconds/],
  ["a gateway of production without its proxies", "ConfigMap", "gateway-platform", (o) => Object.assign(o.data ?? {}, { TRUSTED_PROXIES: "" }), /gateway-transfers: .*TRUSTED_PROXIES: is required in production/s],
  ["a console of production without its proxies", "ConfigMap", "console-platform", (o) => Object.assign(o.data ?? {}, { TRUSTED_PROXIES: "" }), /console: .*TRUSTED_PROXIES: is required in production/s],
  ["a production without a provider where operators sign in", "ConfigMap", "identity-svc-platform", (o) => Object.assign(o.data ?? {}, { OPERATOR_OIDC_ISSUER: "" }), /identity-svc: .*OPERATOR_OIDC_ISSUER: is required in production/s],
  ["a process without the Secret of its engines", "Deployment", "events-svc-worker", (o) => Object.assign(container(o), { envFrom: [] }), /events-svc-worker: .*takes no variables from the optional Secret events-svc-engines/],
  ["a migration without the authority of its database", "Job", "ads-svc-migrate-0-1-0", (o) => container(o).volumeMounts.pop(), /no files of the optional Secret ads-svc-engines/],
  ["a backup that waits for a Secret few have", "CronJob", "ads-svc-backup", (o) => Object.assign(backupContainer(o).envFrom[0].secretRef, { optional: false }), /takes no variables from the optional Secret ads-svc-engines/],
  ["an object in another namespace", "Service", "gateway", (o) => Object.assign(o.metadata, { namespace: "default" }), /Service gateway is not in namespace/],
])("reports %s", async (_what, kind, name, change, problem) => {
  expect((await problemsAfter(kind, name, change)).join("\n")).toMatch(problem);
}, 60_000); // biome-ignore format: one case a line

test("finds no problem in the small environment, which has no autoscaler", async () => {
  expect(small.filter(({ kind }) => kind === "HorizontalPodAutoscaler")).toEqual([]);
  expect(await checkObjects(small)).toEqual([]);
}, 60_000);

test.each<[string, string, (object: KubernetesObject) => void, RegExp]>([
  ["a fixed number of pods that is not given", "ads-svc", (o) => Reflect.deleteProperty(o.spec, "replicas"), /no HorizontalPodAutoscaler/],
  ["too little time for server and worker to end in turn", "ads-svc", (o) => Object.assign(o.spec.template.spec, { terminationGracePeriodSeconds: 69 }), /at least 70 s/],
  ["a setting that only the worker misses", "events-svc", (o) => Object.assign(variable(o, "NATS_URL"), { value: "http://nats" }), /NATS_URL: must be nats:/],
  ["a memory limit below what the children of server and worker may take", "files-svc", (o) => Object.assign(container(o).resources.limits, { memory: "2816Mi" }), /memory limit must be at least 3072Mi/],
])("reports %s in the small environment", async (_what, name, change, problem) => {
  expect((await problemsAfter("Deployment", name, change, small)).join("\n")).toMatch(problem);
}, 60_000); // biome-ignore format: one case a line

test("reports production processes that are configured as development", () => {
  expect(checkDeploymentEnvironment("production", production)).toEqual([]);
  expect(checkDeploymentEnvironment("staging", production)).toHaveLength(apps);
  expect(checkDeploymentEnvironment("small", small)).toEqual([]);
});

test("reports a fixed number of pods that an autoscaler would change", async () => {
  const problems = await problemsAfter("Deployment", "ads-svc", (o) => Object.assign(o.spec, { replicas: 2 }));
  expect(problems.join()).toMatch(/Deployment ads-svc: has a fixed number of pods and a HorizontalPodAutoscaler/);
}, 60_000);

test("bounds the resource requests of the small environment with five services: accepts 1 CPU and 2 GiB, and rejects the next step of each", () => {
  const asks = (cpu: string, memory: string): string[] => {
    const one = structuredClone(small).find(({ kind }) => kind === "Deployment");
    if (one === undefined) throw new Error("no Deployment");
    Object.assign(container(one).resources, { requests: { cpu, memory } });
    return checkRequests("small", [one], 5);
  };
  expect(checkRequests("small", small)).toEqual([]);
  expect(asks("1", "2Gi")).toEqual([]);
  expect(asks("1001m", "2049Mi")).toEqual([
    "requests 1001m CPU, more than 1000m",
    "requests 2049Mi of memory, more than 2048Mi",
  ]);
});

test("requests at most 1.5 CPUs in the local environment including its stores", async () => {
  const objects = await Promise.all(["k8s/overlays/local", "k8s/dev-stores"].map((folder) => renderOverlay(folder)));
  expect(checkRequests("local", objects.flat())).toEqual([]);
}, 60_000);

test("reports an object storage of another region than the platform signs its requests for", async () => {
  const stores = await renderOverlay("k8s/dev-stores");
  expect(checkRegion(stores, "S3_BUCKET=a\nS3_REGION=eu-central-1\n")).toEqual([]);
  expect(checkRegion(stores, "S3_REGION=us-east-1")).toEqual([
    "Deployment s3: its region is not us-east-1, as S3_REGION is",
  ]);
});
