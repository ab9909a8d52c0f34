import type { DescMethod } from "@bufbuild/protobuf";
import { AdServerAdminService } from "@platform/proto/ads/v1/ad_server_admin";
import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { ProjectAuditAdminService, ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { ScheduledRunAdminService } from "@platform/proto/events/v1/scheduled_run_admin";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { FileObjectAdminService } from "@platform/proto/files/v1/file_object_admin";
import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import { ApprovalAdminService } from "@platform/proto/identity/v1/approval_admin";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { MemberAdminService } from "@platform/proto/identity/v1/member_admin";
import { MigrationAdminService } from "@platform/proto/identity/v1/migration_admin";
import { ProjectContactAdminService } from "@platform/proto/identity/v1/project_contact_admin";
import { RequestLogAdminService } from "@platform/proto/identity/v1/request_log_admin";
import { SessionAdminService } from "@platform/proto/identity/v1/session_admin";
import { CapturedMessageAdminService } from "@platform/proto/notify/v1/captured_message_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { EndpointAdminService } from "@platform/proto/notify/v1/endpoint_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { SuppressionAdminService } from "@platform/proto/notify/v1/suppression_admin";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import type { IconName } from "./icon.ts";

/** A page to which the sidebar links. */
export type NavigationPage = {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** The RPC that a person must be allowed to call to open the page; null for a page that is open to everyone. */
  readonly method: DescMethod | null;
  /** True if the page shows data of one Project Client, so that its link contains the chosen client. */
  readonly isOfClient: boolean;
  /** True if the page reveals addresses, which requires a role with that permission. */
  readonly isReveal: boolean;
};
type NavigationGroup = { readonly title: string; readonly pages: readonly NavigationPage[] };

const page = (path: string, title: string, icon: IconName, method: DescMethod | null): NavigationPage => ({
  path,
  title,
  icon,
  method,
  isOfClient: false,
  isReveal: false,
});
const ofClient = (...parts: Parameters<typeof page>): NavigationPage => ({ ...page(...parts), isOfClient: true });

const clients = ProjectClientAdminService.method;
const files = FileObjectAdminService.method;

/** The groups of the sidebar, in their order. */
export const navigation: readonly NavigationGroup[] = [
  {
    title: "Home",
    pages: [
      page("/", "Overview", "home", clients.listProjectClients),
      page("/status", "Status", "activity-heartbeat", null),
    ],
  },
  {
    title: "Projects",
    pages: [
      page("/clients", "Projects", "folders", clients.listProjectClients),
      ofClient("/members", "People", "users", MemberAdminService.method.listMembers),
      ofClient("/sessions/members", "Member sessions", "device-desktop", SessionAdminService.method.listMemberSessions),
      ofClient("/credentials", "Credentials", "key", clients.listProjectCredentials),
      ofClient("/requests", "Request log", "list-search", RequestLogAdminService.method.listRequests),
      ofClient("/contacts", "Contacts", "address-book", ProjectContactAdminService.method.listProjectContacts),
    ],
  },
  {
    title: "Messages",
    pages: [
      ofClient("/deliveries", "Deliveries", "send", DeliveryAdminService.method.listDeliveries),
      ofClient("/endpoints", "Endpoints", "device-mobile", EndpointAdminService.method.listEndpoints),
      ofClient("/endpoints/suppressions", "Suppressed", "mail-off", SuppressionAdminService.method.listSuppressions),
      ofClient("/templates", "Templates", "template", NotifyAdminService.method.showCatalog),
      ofClient("/captured", "Captured", "inbox", CapturedMessageAdminService.method.listCapturedMessages),
      ofClient("/profiles", "Senders", "mail-forward", NotifyAdminService.method.listSenderProfiles),
    ],
  },
  {
    title: "Events",
    pages: [
      ofClient("/events", "Log", "timeline-event", DomainEventConsumerService.method.readEvents),
      ofClient("/events/subscriptions", "Subscriptions", "webhook", SubscriptionAdminService.method.listSubscriptions),
      ofClient("/events/consumers", "Consumers", "plug-connected", ConsumerAdminService.method.listConsumers),
    ],
  },
  {
    title: "Schedules",
    pages: [
      ofClient(
        "/schedules",
        "Operations",
        "calendar-time",
        ScheduledOperationAdminService.method.listScheduledOperations,
      ),
      ofClient("/schedules/failed", "Failed runs", "repeat-off", ScheduledRunAdminService.method.listFailedRuns),
    ],
  },
  {
    title: "Files",
    pages: [
      ofClient("/files", "File objects", "file", files.listFileObjects),
      ofClient("/files/assets", "Public assets", "photo", files.listPublicAssets),
    ],
  },
  {
    title: "Identity",
    pages: [
      { ...page("/accounts/find", "Accounts", "users", AccountSupportService.method.findAccounts), isReveal: true },
      ofClient("/migrations", "Migrations", "transfer", MigrationAdminService.method.listMigrations),
    ],
  },
  {
    title: "Ads",
    pages: [
      ofClient("/campaigns", "Campaigns", "speakerphone", CampaignAdminService.method.listCampaigns),
      page("/campaigns/ad-servers", "Ad servers", "server", AdServerAdminService.method.listAdServers),
    ],
  },
  {
    title: "Audit",
    pages: [
      ofClient("/audits", "Project audits", "clipboard-list", ProjectAuditAdminService.method.listProjectAudits),
      page("/operators", "Operator actions", "history", OperatorActionAdminService.method.listOperatorActions),
    ],
  },
  {
    title: "Settings",
    pages: [
      page("/approvals", "Approvals", "circle-check", ApprovalAdminService.method.listApprovals),
      page(
        "/sessions/operators",
        "Operator sessions",
        "device-desktop",
        SessionAdminService.method.listOperatorSessions,
      ),
      page("/erasures", "Erasures", "eraser", ErasureAdminService.method.listErasures),
      page("/files/presets", "Image presets", "photo-cog", FilesAdminService.method.listImagePresets),
    ],
  },
];

/** The first page of a project. */
export const projectStartPage: NavigationPage = page("/", "Project", "home", null);

const allPages = navigation.flatMap(({ pages }) => pages);

/** Paths of the lists of resources whose own pages have a path that starts differently. */
const listPaths: Readonly<Record<string, string>> = {
  accounts: "/accounts/find",
  runs: "/schedules/failed",
  sessions: "/accounts/find",
  subscriptions: "/events/subscriptions",
};

/** Returns the page of the sidebar to which a path belongs; null if there is none. */
export function navigationPageOf(path: string): NavigationPage | null {
  const begins = (page: NavigationPage): boolean =>
    path === page.path || (page.path !== "/" && path.startsWith(`${page.path}/`));
  const above = allPages.filter(begins).toSorted((a, b) => b.path.length - a.path.length)[0];
  const list = listPaths[path.split("/")[1] ?? ""];
  return above ?? allPages.find((page) => page.path === list) ?? null;
}
