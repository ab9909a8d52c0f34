import type { Command } from "commander";

/** The texts that help shows for a command. */
export type Summary = {
  readonly description: string;
  /** Options and arguments of a command without subcommands, as help shows them after its name. */
  readonly usage?: string;
};

/**
 * The help texts of all top-level commands, in their order. They are here so that help does not have to load the
 * commands.
 */
export const topLevelCommands = {
  login: {
    description: "Sign in at the platform's identity provider with a browser on any machine. A session lasts 8 hours.",
    usage: "[options]",
  },
  logout: { description: "End the session. If OPERATOR_TOKEN is set, later commands use it." },
  whoami: { description: "Show who is signed in and their roles." },
  contexts: {
    description:
      "The platforms that you operate. Their addresses and certificates are stored in config.yaml in PLATFORMCTL_HOME.",
  },
  "operator-actions": {
    description:
      "The record of operator actions: who did what, when, why, and with what result. A hash chain protects it.",
  },
  completion: {
    description: "Print the completion script of a shell: bash, zsh or fish.",
    usage: "<shell> [words...]",
  },
  clients: { description: "Projects: the backends that can call the platform, the API's Project Clients." },
  members: { description: "The members of a project and their roles." },
  credentials: { description: "Project Credentials, which a project's backend sends as `Authorization: Bearer …`." },
  quotas: { description: "Hard quotas of a project, counted per resource and window (UTC)." },
  accounts: { description: "Platform Accounts: the people who sign in." },
  sessions: {
    description: "Platform Sessions. They expire after 12 hours without use, and after 7 days at the latest.",
  },
  migrations: { description: "Identity Migration Transactions: from a legacy subject to a linked Platform Account." },
  contacts: { description: "The people who are emailed if a project needs attention." },
  requests: { description: "The request log: the outcome of every request with a valid credential." },
  approvals: { description: "Acts that await a second person's approval, where SECOND_PERSON is on." },
  brands: { description: "The appearance of a project's hosted pages and emails." },
  usage: {
    description: "Show the usage of a project: requests and quota units, to the minute, for the last 400 days.",
    usage: "[options]",
  },
  persons: { description: "People, across all projects." },
  erasures: { description: "Erasures of people and projects." },
  "image-presets": {
    description: "The image presets that all projects can use to publish images.",
  },
  files: { description: "File Objects. Their bytes are never shown." },
  "public-assets": { description: "Public Assets: published images that anyone can read." },
  "sender-profiles": {
    description:
      "The sender profiles of a project: one for each account at a provider. Their secrets are encrypted at rest.",
  },
  endpoints: { description: "Delivery Endpoints: the addresses of people, and their consents." },
  suppressions: {
    description:
      "Suppressed email addresses. They receive no messages, or no marketing, because of bounces or complaints.",
  },
  catalog: { description: "The notification templates of a project. Texts are Liquid templates: {{ name }}." },
  captured: {
    description: "Captured messages, which are not sent to a provider: those of sandboxes and to test recipients.",
  },
  deliveries: { description: "Notification Deliveries: the messages of projects and their outcomes." },
  audits: { description: "Read and verify the Project Audits of a project." },
  events: { description: "Read the Domain Events of a project." },
  listen: {
    description:
      "Forward new events of a project to a URL on this machine, signed like the calls of a subscription. Ends with Ctrl-C.",
    usage: "[options]",
  },
  trigger: { description: "Publish a sample of a platform event to a project's event log.", usage: "[options] <type>" },
  schedules: { description: "Schedule, invoke and inspect the operations that projects have registered." },
  subscriptions: { description: "Subscriptions, which call the URL of a scheduled operation for Domain Events." },
  campaigns: {
    description: "Advertising campaigns. Money is in minor units of the currency (JPY 250 is 250, USD 2.50 is 250).",
  },
  ads: { description: "Ad decisions and the keys that sign their tokens." },
  consumers: {
    description: "Event consumers: tokens that can only read the events of one project.",
  },
  "ad-servers": {
    description: "Ad servers: tokens that can only issue the decisions of one campaign.",
  },
  retention: { description: "How long the records of a project are kept." },
  find: {
    description: "Find records in all services by an id, an idempotency key or a correlation id.",
    usage: "[options]",
  },
  mcp: {
    description:
      "Serve the read-only commands to an AI assistant as Model Context Protocol tools on standard input and output.",
    usage: "[options]",
  },
  demo: { description: "A demo project." },
} as const satisfies Readonly<Record<string, Summary>>;

export type TopLevelName = keyof typeof topLevelCommands;

/** Adds a command of the top level with its description. */
export function topLevel(program: Command, name: TopLevelName): Command {
  return program.command(name).description(topLevelCommands[name].description);
}
