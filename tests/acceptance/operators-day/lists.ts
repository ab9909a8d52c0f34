import type { DayProject } from "./project.ts";
import { personAddress } from "./seed.ts";

/** A request for a list, and the collection of which it must read only a part. */
export type List = { readonly args: readonly string[]; readonly collection: string };

/** Returns every list and search of platformctl, with each filter that has an index. */
export function listsOf(project: DayProject): List[] {
  const { client, endpointId, accountId, operationId, campaignId, address } = project;
  const of = ["--client", client.id];
  const lists: Record<string, string[][]> = {
    deliveries: [
      ["deliveries", "list", ...of],
      ["deliveries", "list", ...of, "--limit", "200"],
      ["deliveries", "list", ...of, "--channel", "apns"],
      ["deliveries", "list", ...of, "--channel", "email", "--status", "failed"],
      ["deliveries", "list", ...of, "--status", "failed", "--since", "12h"],
      ["deliveries", "list", ...of, "--error-code", "smtp_550"],
      ["deliveries", "list", ...of, "--template", "order-shipped", "--status", "sent"],
      ["deliveries", "list", ...of, "--endpoint", endpointId],
      ["deliveries", "list", ...of, "--since", "20d", "--until", "10d"],
      ["deliveries", "retry", ...of, "--status", "failed", "--since", "12h", "--dry-run"],
      ["find", ...of, "--text", "no-such-key"],
      ["find", ...of, "--text", "01890a5d-ac96-774b-bcce-b302099a8057"],
    ],
    delivery_endpoints: [
      ["endpoints", "list", ...of],
      ["endpoints", "list", ...of, "--channel", "email", "--status", "verified"],
      ["endpoints", "list", ...of, "--status", "revoked"],
      ["endpoints", "find", ...of, "--address", address],
    ],
    platform_accounts: [["accounts", "find", "--email", personAddress(77)]],
    platform_sessions: [["sessions", "list", "--account", accountId]],
    identity_migration_transactions: [
      ["migrations", "list", ...of],
      ["migrations", "list", ...of, "--legacy-subject", "member-77"],
      ["migrations", "list", ...of, "--email", personAddress(77)],
      ["migrations", "list", ...of, "--status", "pending"],
      ["migrations", "list", ...of, "--status", "expired"],
      ["migrations", "list", ...of, "--status", "completed"],
    ],
    project_credentials: [
      ["credentials", "list", ...of],
      ["credentials", "list", "--expires-within-days", "30"],
    ],
    file_objects: [
      ["files", "list", ...of],
      ["files", "list", ...of, "--status", "rejected"],
      ["files", "list", ...of, "--status", "quarantined"],
    ],
    public_assets: [["public-assets", "list", ...of]],
    scheduled_runs: [
      ["schedules", "failed"],
      ["schedules", "failed", ...of],
      ["schedules", "failed", ...of, "--since", "7d"],
      ["schedules", "runs", "--operation", operationId],
      ["schedules", "redrive", ...of, "--status", "failed", "--since", "7d", "--dry-run"],
    ],
    scheduled_operations: [["schedules", "list", ...of]],
    project_audits: [
      ["audits", "list", ...of],
      ["audits", "list", ...of, "--actor", "user:3"],
      ["audits", "list", ...of, "--action", "order.placed"],
      ["audits", "list", ...of, "--resource-id", "order-77"],
      ["audits", "list", ...of, "--since", "1h"],
    ],
    campaigns: [
      ["campaigns", "list"],
      ["campaigns", "list", ...of],
    ],
    impressions: [["campaigns", "report", "--campaign", campaignId, "--by", "day"]],
    operator_actions: [
      ["operator-actions", "list"],
      ["operator-actions", "list", ...of, "--rpc", "SetQuota"],
      ["operator-actions", "list", "--who", "operator", "--since", "1h"],
      ["operator-actions", "list", "--correlation-id", "01890a5d-ac96-774b-bcce-b302099a8057"],
    ],
    erasures: [["erasures", "list"]],
    usage_counts: [["usage", ...of, "--since", "7d", "--by", "day"]],
    sender_profiles: [["sender-profiles", "list", ...of]],
    retention_settings: [["retention", "show", ...of]],
    project_clients: [["clients", "list"]],
    event_consumers: [["consumers", "list", ...of]],
    ad_servers: [["ad-servers", "list", "--campaign", campaignId]],
    subscriptions: [["subscriptions", "list", ...of]],
    image_presets: [["image-presets", "list"]],
    quotas: [["quotas", "show", ...of]],
  };
  return Object.entries(lists).flatMap(([collection, all]) => all.map((args) => ({ args, collection })));
}

/** Returns the command of a list without the parts that differ between runs. */
export function nameOf({ args }: List): string {
  return args.map((arg) => (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(arg) ? "ID" : arg)).join(" ");
}
