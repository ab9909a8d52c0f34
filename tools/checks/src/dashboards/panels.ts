import { type ServiceName, serviceNames } from "@platform/contracts/services";

/** A panel: its title, the unit of its axis, and for each series a PromQL expression and a legend. */
export type Panel = {
  readonly title: string;
  readonly unit: "short" | "s" | "bytes" | "ops" | "reqps" | "dateTimeFromNow";
  readonly series: readonly (readonly [expr: string, legend: string])[];
};

/** A dashboard of one team. */
export type Dashboard = {
  readonly title: string;
  /** Names of its processes in the label `service`, as a regular expression. */
  readonly processes: string;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
};

const rate = (by: string, series: string): string => `sum by (${by}) (rate(${series}[$__rate_interval]))`;
const total = (series: string): string => `sum(rate(${series}[$__rate_interval]))`;
const quantile = (q: number, series: string, by = ""): string =>
  `histogram_quantile(${q}, sum by (le${by === "" ? "" : `, ${by}`}) (rate(${series}_bucket[$__rate_interval])))`;

const panel = (title: string, unit: Panel["unit"], ...series: Panel["series"]): Panel => ({ title, unit, series });

const edge = [
  panel("Requests by operation", "reqps", [
    rate("operation", "platform_http_request_duration_seconds_count"),
    "{{operation}}",
  ]),
  panel("Answers by error code", "reqps", [
    rate("code", 'platform_http_request_duration_seconds_count{code!="ok"}'),
    "{{code}}",
  ]),
  panel(
    "Duration",
    "s",
    [quantile(0.5, "platform_http_request_duration_seconds"), "p50"],
    [quantile(0.9, "platform_http_request_duration_seconds"), "p90"],
    [quantile(0.99, "platform_http_request_duration_seconds"), "p99"],
  ),
  panel(
    "In flight and shed",
    "short",
    ["sum(platform_http_requests_in_flight)", "in flight"],
    [rate("reason", "platform_http_requests_shed_total"), "shed: {{reason}}"],
  ),
  panel("Authentications", "ops", [rate("result", "platform_credential_lookups_total"), "{{result}}"]),
  panel(
    "Replays and quota refusals",
    "ops",
    [total("platform_idempotency_replays_total"), "replays"],
    [rate("resource", "platform_quota_refusals_total"), "refused: {{resource}}"],
  ),
];
const redisMemory = panel(
  "Redis memory",
  "bytes",
  ["max(platform_redis_memory_used_bytes)", "used"],
  ["max(platform_redis_memory_max_bytes)", "maxmemory"],
);
const calls = [
  panel("RPCs", "reqps", [rate("rpc", "platform_grpc_server_duration_seconds_count"), "{{rpc}}"]),
  panel("RPC p99", "s", [quantile(0.99, "platform_grpc_server_duration_seconds", "rpc"), "{{rpc}}"]),
  panel("RPCs that fail unexpectedly", "reqps", [
    rate("rpc", 'platform_grpc_server_duration_seconds_count{code="internal_error"}'),
    "{{rpc}}",
  ]),
];
const jobQueues = panel("Job queue age", "s", [
  "max by (service, queue) (platform_job_queue_age_seconds)",
  "{{service}} {{queue}}",
]);
const retention = panel("Records removed for their age", "ops", [
  rate("kind", "platform_retention_removed_total"),
  "{{kind}}",
]);
const processes = [
  panel("CPU", "short", [rate("service", "process_cpu_seconds_total"), "{{service}}"]),
  panel("Memory", "bytes", ["max by (service) (process_resident_memory_bytes)", "{{service}}"]),
  panel("Event-loop lag p99", "s", ["max by (service) (nodejs_eventloop_lag_p99_seconds)", "{{service}}"]),
  panel("Dependencies", "short", [
    "min by (service, dependency) (platform_dependency_up)",
    "{{service}} {{dependency}}",
  ]),
  panel("Certificates end", "s", [
    "min by (service, certificate) (platform_certificate_expiry_timestamp_seconds) - time()",
    "{{service}} {{certificate}}",
  ]),
];

const signIns = panel(
  "Sign-ins and migrations",
  "ops",
  [rate("outcome", "platform_identity_sign_ins_total"), "sign-in {{outcome}}"],
  [rate("to", "platform_identity_transitions_total"), "to {{to}}"],
  [rate("outcome", "platform_identity_verification_mails_total"), "mail {{outcome}}"],
);
const uploads = panel(
  "Uploads",
  "short",
  [rate("outcome", "platform_files_uploads_total"), "{{outcome}}"],
  [total("platform_files_uploaded_bytes_total"), "bytes/s"],
);
const quarantine = panel("Oldest file in quarantine", "s", ["max(platform_files_oldest_quarantined_seconds)", "age"]);
const deliveries = panel("Deliveries", "ops", [
  rate("channel, status", "platform_notify_deliveries_finished_total"),
  "{{channel}} {{status}}",
]);
const deliveryQueue = panel(
  "Delivery queue",
  "short",
  ["max(platform_notify_queue_age_seconds)", "oldest due, seconds"],
  ["sum(platform_notify_deliveries_running)", "running"],
  ["sum(platform_notify_paused_bulkheads)", "paused bulkheads"],
);
const scheduledRuns = panel("Scheduled runs", "ops", [
  rate("result", "platform_events_scheduled_runs_total"),
  "{{result}}",
]);
const numbering = panel("Oldest event without a position", "s", [
  "max(platform_events_oldest_unnumbered_seconds)",
  "age",
]);
const impressions = panel(
  "Viewable Impressions",
  "short",
  [rate("outcome", "platform_ads_impressions_total"), "{{outcome}}"],
  [total("platform_ads_append_conflicts_total"), "conflicts"],
  ["max(platform_ads_ledger_faults)", "ledger faults"],
);

const service = (name: string, own: readonly Panel[]): Dashboard => ({
  title: name,
  processes: `${name}(-[a-z]+)?`,
  rows: [
    { title: "Work", panels: [...own, retention] },
    { title: "Calls", panels: calls },
    { title: "Processes", panels: processes },
  ],
});

/** Panels of one service, in addition to those of every service. */
const ownPanels: Partial<Record<ServiceName, readonly Panel[]>> = {
  identity: [signIns],
  files: [
    uploads,
    quarantine,
    panel("Upload bytes in flight", "bytes", ["sum(platform_files_upload_bytes_in_flight)", "bytes"]),
    panel("Malware scanner", "short", ["min(platform_files_malware_scanner_configured)", "configured"]),
    jobQueues,
  ],
  notify: [
    deliveryQueue,
    deliveries,
    panel("Delivery time", "s", [quantile(0.95, "platform_notify_delivery_seconds", "channel"), "p95 {{channel}}"]),
    panel("Attempts at providers", "ops", [
      rate("channel, provider_status", "platform_notify_delivery_attempts_total"),
      "{{channel}} {{provider_status}}",
    ]),
    panel("Time of an attempt", "s", [
      quantile(0.99, "platform_notify_delivery_attempt_seconds", "channel"),
      "p99 {{channel}}",
    ]),
    panel("Leases lost", "ops", [total("platform_notify_lost_leases_total"), "lost"]),
  ],
  events: [
    numbering,
    scheduledRuns,
    jobQueues,
    panel(
      "Subscriptions",
      "short",
      ["max(platform_events_subscription_lag)", "positions behind"],
      ["max(platform_events_subscription_failures)", "failed events"],
      ["max(platform_events_subscriptions)", "active"],
    ),
  ],
  ads: [
    impressions,
    panel("Appends to the ledger", "ops", [rate("kind", "platform_ads_appends_total"), "{{kind}}"]),
    panel("Impressions of an append", "short", [quantile(0.95, "platform_ads_append_impressions"), "p95"]),
  ],
};

/** Every dashboard, by the name of its file: one of the platform, and one of each team. */
export const dashboards: Readonly<Record<string, Dashboard>> = {
  platform: {
    title: "Platform",
    processes: ".*",
    rows: [
      { title: "Edge", panels: edge },
      { title: "Calls", panels: calls },
      {
        title: "Work",
        panels: [
          deliveryQueue,
          deliveries,
          scheduledRuns,
          numbering,
          uploads,
          quarantine,
          impressions,
          signIns,
          jobQueues,
        ],
      },
      { title: "Processes", panels: [...processes, redisMemory] },
    ],
  },
  gateway: {
    title: "gateway",
    processes: "gateway",
    rows: [
      { title: "Edge", panels: edge },
      { title: "Processes", panels: [...processes, redisMemory] },
    ],
  },
  console: { title: "console", processes: "console", rows: [{ title: "Processes", panels: processes }] },
  ...Object.fromEntries(serviceNames.map((name) => [`${name}-svc`, service(`${name}-svc`, ownPanels[name] ?? [])])),
};
