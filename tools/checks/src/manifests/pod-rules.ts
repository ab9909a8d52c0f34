import { parseImage } from "./image-name.ts";
import type { KubernetesObject } from "./render-overlay.ts";

type Container = {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly { readonly secretRef?: { readonly name: string; readonly optional?: boolean } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources?: { readonly requests?: Record<string, string>; readonly limits?: Record<string, string> };
  readonly securityContext?: Record<string, unknown> & {
    readonly capabilities?: { readonly drop?: readonly string[] };
  };
  readonly startupProbe?: { readonly terminationGracePeriodSeconds?: number };
  readonly livenessProbe?: { readonly terminationGracePeriodSeconds?: number };
  readonly readinessProbe?: object;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
};

type EnvVar = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
    readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
  };
};

/** The fields of a Deployment's or Job's pod that the checks read. */
export type Pod = {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly automountServiceAccountToken?: boolean;
    readonly serviceAccountName?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly securityContext?: Record<string, unknown> & { readonly seccompProfile?: { readonly type: string } };
    readonly topologySpreadConstraints?: readonly object[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly emptyDir?: { readonly sizeLimit?: string };
      readonly secret?: { readonly secretName?: string; readonly optional?: boolean };
    }[];
  };
};

export type { Container, EnvVar };

/**
 * Matches variables whose names end like those of credentials, and addresses that may contain a password, but not paths
 * of files.
 */
const credential =
  /(_TOKEN|_PASSWORD|_SECRET|SECRET_ACCESS_KEY|ACCESS_KEY_ID|SERVICE_KEY|SERVICE_KEY_PREVIOUS|CONSOLE_KEY|CONSOLE_KEY_PREVIOUS|MONGODB_URI|REDIS_URL|SMTP_URL)$/;

/**
 * Returns the longest time that a process takes to end after SIGTERM, in seconds (libs/kit, process/run.ts and start-together.ts: server and worker end one
 * after the other).
 */
function endSecondsMax(containers: readonly Container[]): number {
  return Math.max(
    ...containers.map(({ args, env = [] }) => {
      const drain = env.find(({ name }) => name === "TRANSFER_DRAIN_SECONDS")?.value;
      const server = drain === undefined ? 25 : Number(drain) + 15;
      return startsBoth(args) ? server + 35 : server;
    }),
  );
}

/** Returns whether a container runs server and worker of a service in one process. */
export function startsBoth(args: readonly string[] = []): boolean {
  return args.at(-1) === "src/start-both.ts";
}

export function podOf(deployment: KubernetesObject): Pod {
  return deployment.spec.template as Pod;
}

/** Returns the Job that a CronJob creates. */
export function jobOf({ apiVersion, metadata, spec }: KubernetesObject): KubernetesObject {
  return { apiVersion, kind: "Job", metadata, spec: spec.jobTemplate.spec };
}

export function containersOf(pod: Pod): readonly Container[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
}

/**
 * Requires that every container is non-root, limited and probed, and that every pod is without a token, spread over
 * nodes, and has time to drain.
 */
export function checkPodRules(deployment: KubernetesObject): string[] {
  const { spec } = podOf(deployment);
  const preStopSeconds = Math.max(...spec.containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0));
  const rules: [boolean, string][] = [
    ...confinement(spec),
    [(spec.topologySpreadConstraints?.length ?? 0) >= 2, "is not spread over zones and hosts"],
    [preStopSeconds > 0, "has no preStop"],
    [(deployment.spec.minReadySeconds ?? 0) >= 5, "is taken as available at its first ready answer: minReadySeconds"],
    [
      (spec.terminationGracePeriodSeconds ?? 30) >= preStopSeconds + endSecondsMax(spec.containers),
      `must have at least ${preStopSeconds + endSecondsMax(spec.containers)} s to end`,
    ],
  ];
  const ofPod = rules.filter(([holds]) => !holds).map(([, problem]) => problem);
  return [
    ...ofPod,
    ...containersOf(podOf(deployment)).flatMap((container) => checkContainer(container, spec.containers)),
  ];
}

const confinement = (spec: Pod["spec"]): [boolean, string][] => [
  [spec.automountServiceAccountToken === false, "mounts a service account token"],
  [spec.serviceAccountName !== undefined, "has no service account of its own"],
  [spec.securityContext?.runAsNonRoot === true, "may run as root"],
  [Number(spec.securityContext?.runAsUser ?? 0) > 0, "names no user to run as"],
  [spec.securityContext?.seccompProfile?.type === "RuntimeDefault", "has no seccomp profile"],
];

/** Requires the same restrictions of a Job as of a Deployment, and that nothing ends it before its work is done. */
export function checkJobRules(job: KubernetesObject): string[] {
  const { spec } = podOf(job);
  const rules: [boolean, string][] = [
    ...confinement(spec),
    [job.spec.activeDeadlineSeconds === undefined, "is ended before a long index or backup may be done"],
  ];
  const ofPod = rules.filter(([holds]) => !holds).map(([, problem]) => problem);
  return [...ofPod, ...spec.containers.flatMap((container) => checkContainer(container, []))];
}

function checkContainer(container: Container, lasting: readonly Container[]): string[] {
  const { securityContext, resources, image } = container;
  const isLasting = lasting.includes(container);
  const rules: [boolean, string][] = [
    [!["", "latest"].includes(parseImage(image).tag), `names no version of its image (${image})`],
    [
      container.env?.some(({ name }) => name === "OPERATOR_TOKEN") !== true ||
        container.args?.at(-1) === "src/start-server.ts" ||
        startsBoth(container.args),
      "has the operator's token, which only a server needs",
    ],
    ...(container.env ?? [])
      .filter(({ name }) => credential.test(name))
      .map(({ name, valueFrom }): [boolean, string] => [
        valueFrom?.secretKeyRef !== undefined,
        `takes ${name} from elsewhere than a Secret`,
      ]),
    [securityContext?.readOnlyRootFilesystem === true, "may write to its root file system"],
    [securityContext?.allowPrivilegeEscalation === false, "may gain privileges"],
    [securityContext?.capabilities?.drop?.includes("ALL") === true, "keeps capabilities"],
    ...(["cpu", "memory"] as const).flatMap((name): [boolean, string][] => [
      [resources?.requests?.[name] !== undefined, `requests no ${name}`],
      [resources?.limits?.[name] !== undefined, `has no limit of ${name}`],
    ]),
    ...(["startupProbe", "livenessProbe"] as const).map((probe): [boolean, string] => [
      !isLasting || (container[probe]?.terminationGracePeriodSeconds ?? Infinity) <= 60,
      `may take the pod's whole time to end when its ${probe} has failed`,
    ]),
    ...(["startupProbe", "livenessProbe", "readinessProbe"] as const).map((probe): [boolean, string] => [
      !isLasting || container[probe] !== undefined,
      `has no ${probe}`,
    ]),
  ];
  return rules.filter(([holds]) => !holds).map(([, problem]) => `container ${container.name} ${problem}`);
}
