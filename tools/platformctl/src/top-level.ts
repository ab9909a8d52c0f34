import type { Command } from "commander";

/** What help shows of a command. */
export type Summary = {
  readonly description: string;
  /** Options and arguments of a command without subcommands, as help shows them behind its name. */
  readonly usage?: string;
};

/** What help shows of each command of the top level, in its order. It is here so that help does not have to load the commands. */
export const topLevelCommands = {
  login: {
    description: "Sign in at the platform's identity provider, in a browser of any machine. A session lasts 8 hours.",
    usage: "[options]",
  },
  logout: { description: "End the session. From then on OPERATOR_TOKEN is used, where it is set." },
  whoami: { description: "Show who is signed in, and with which roles." },
  contexts: {
    description: "The platforms you operate: their addresses and certificates, in config.yaml of PLATFORMCTL_HOME.",
  },
  "operator-actions": {
    description: "What operators did: who, when, why, and what came of it. Kept by every service, proven by one chain.",
  },
  completion: {
    description: "Print the completion script of a shell: bash, zsh or fish.",
    usage: "<shell> [words...]",
  },
  clients: { description: "Project Clients: the project backends that may call the platform." },
  members: { description: "The people of a project, and what each of them may do in it." },
  credentials: { description: "Project Credentials: what a project backend presents as `Authorization: Bearer …`." },
  quotas: { description: "Hard quotas of a Project Client, counted per resource and window (UTC)." },
  accounts: { description: "Platform Accounts: the people who sign in." },
  sessions: { description: "Platform Sessions: 12 hours idle, 7 days at most." },
  migrations: { description: "Identity Migration Transactions: from a legacy subject to a linked Platform Account." },
  contacts: { description: "Who is emailed when a Project Client needs attention." },
  requests: { description: "The request log: what became of each request that carried an accepted credential." },
  brands: { description: "How the hosted pages and emails of a Project Client look to people." },
  usage: {
    description:
      "Show what a Project Client used: requests and units of each quota, exact to the minute, kept for 400 days.",
    usage: "[options]",
  },
  persons: { description: "People, across Project Clients." },
  erasures: { description: "Erasures of people and Project Clients." },
  "image-presets": {
    description: "Approve the presets that images may be published under (for every Project Client).",
  },
  files: { description: "File Objects; their bytes are never shown." },
  "public-assets": { description: "Public Assets: images anyone can read." },
  "sender-profiles": {
    description: "How a Project Client sends: one profile for each account at a provider. Secrets are sealed at rest.",
  },
  endpoints: { description: "Delivery Endpoints: the addresses people can be reached at, and their consent." },
  suppressions: {
    description:
      "Mail addresses that nothing, or no marketing, is sent to: their mails bounced, or their owners complained.",
  },
  catalog: { description: "The templates a Project Client's notifications are made of. Texts are Liquid: {{ name }}." },
  captured: {
    description: "Messages that were handed to no provider: those of sandboxes and to recipients for tests.",
  },
  deliveries: { description: "Notification Deliveries: what became of a message." },
  audits: { description: "Read and prove the Project Audits of a Project Client." },
  events: { description: "Read the Domain Events of a Project Client." },
  listen: {
    description:
      "Forward a client's new events to a url of this machine, signed as a subscription's calls. Ends with Ctrl-C.",
    usage: "[options]",
  },
  trigger: { description: "Publish a sample of a platform event into a client's log.", usage: "[options] <type>" },
  schedules: { description: "Schedule, invoke and inspect the operations Project Backends have registered." },
  subscriptions: { description: "Call a scheduled operation's url for Domain Events, signed and in order." },
  campaigns: {
    description: "Advertising campaigns. Money is in minor units of the currency (JPY 250 is 250, USD 2.50 is 250).",
  },
  ads: { description: "Ad decisions, and the keys their tokens are signed with." },
  consumers: {
    description: "Tokens with which a team reads the events of its own Project Client, and can do nothing else.",
  },
  "ad-servers": {
    description: "Tokens with which an ad server issues the decisions of one campaign, and can do nothing else.",
  },
  retention: { description: "How long a Project Client's records are kept." },
  find: {
    description: "Find records of every service by an id, an idempotency key or a correlation id.",
    usage: "[options]",
  },
  mcp: {
    description:
      "Serve the commands that read to an assistant in an editor, as tools of the Model Context Protocol on standard input and output.",
    usage: "[options]",
  },
  demo: { description: "A project to try the platform with." },
} as const satisfies Readonly<Record<string, Summary>>;

export type TopLevelName = keyof typeof topLevelCommands;

/** Adds a command of the top level with its description. */
export function topLevel(program: Command, name: TopLevelName): Command {
  return program.command(name).description(topLevelCommands[name].description);
}
