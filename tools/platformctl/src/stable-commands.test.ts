import type { Command } from "commander";
import { expect, test } from "vitest";
import { createCtl } from "./ctl.ts";
import { createProgram } from "./program.ts";

/*
 * Commands and options on which scripts rely, written by hand, so that a new name in the operator table does not rename them unnoticed. An option without a
 * mark may be left out; one with `!` is required.
 */
const stable: Readonly<Record<string, string>> = {
  "clients create": "name! environment! return-uri",
  "clients list": "",
  "clients show": "client!",
  "clients update": "client! platform-events allowed-scopes success-ratio",
  "clients disable": "client!",
  "clients enable": "client!",
  "clients erase": "client!",
  "credentials issue": "client! scopes! name expires-at",
  "credentials rotate": "credential-id! overlap-seconds",
  "credentials revoke": "credential-id!",
  "credentials list": "client expires-within-days",
  "quotas set": "client! resource! limit!",
  "quotas show": "client!",
  "accounts create": "email! password password-stdin verified",
  "accounts find": "email! reveal",
  "accounts show": "account! reveal",
  "accounts disable": "account!",
  "accounts enable": "account!",
  "accounts send-recovery": "account!",
  "sessions create": "account! authenticated-seconds-ago",
  "sessions list": "account client operators",
  "sessions revoke": "account session-id",
  "sessions end": "",
  "sender-profiles create": "client! channel! name! config!",
  "sender-profiles list": "client!",
  "sender-profiles show": "profile!",
  "sender-profiles update": "profile! config overlap-seconds",
  "sender-profiles disable": "profile!",
  "sender-profiles enable": "profile!",
  "sender-profiles test": "profile! to!",
  "catalog apply": "client! file! dry-run",
  "catalog show": "client!",
  "catalog history": "client!",
  "catalog rollback": "client! to!",
  "endpoints link-line": "client! user-id!",
  "endpoints list": "client! channel status reveal",
  "endpoints find": "client! address! reveal",
  "endpoints show": "endpoint!",
  "endpoints restore-consent": "endpoint! purpose!",
  "image-presets create": "name! format! max-width! max-height! quality!",
  "audits verify": "client! head",
  "audits list": "client! after actor action resource-type resource-id since until limit",
  "audits export": "client!",
  "audits prune": "client! until!",
  "events tail": "client! from type limit until-end",
  "schedules list": "client!",
  "schedules set-cron": "operation! cron! timezone! overlap",
  "schedules set-overlap": "operation! overlap!",
  "schedules set-headers": "operation! headers!",
  "schedules set-rate": "operation! per-second!",
  "schedules run-at": "operation! at!",
  "schedules invoke": "operation",
  "schedules runs": "operation!",
  "schedules enable": "operation!",
  "schedules disable": "operation!",
  "schedules failed": "client since",
  "schedules redrive": "client! status! since! dry-run",
  "schedules rotate-secret": "operation! secret-stdin overlap-seconds",
  "campaigns create": "name! currency! cpm-minor! budget-minor! destination-url! client",
  "campaigns show": "campaign!",
  "campaigns list": "client",
  "campaigns pause": "campaign!",
  "campaigns resume": "campaign!",
  "campaigns end": "campaign!",
  "campaigns raise-budget": "campaign! budget-minor!",
  "campaigns report": "campaign! by!",
  "ads decide": "campaign! format expires-in count",
  "deliveries show": "delivery! reveal",
  "deliveries list": "client channel status error-code template endpoint since until reveal limit cursor",
  "deliveries retry": "delivery client status channel error-code since dry-run",
  "demo seed": "",
  login: "as",
  logout: "",
  whoami: "",
  "operator-actions list": "who rpc client since",
  "operator-actions verify": "",
  "consumers issue": "client! name",
  "consumers list": "client!",
  "consumers rotate": "consumer! overlap-seconds",
  "consumers revoke": "consumer!",
  "ad-servers issue": "campaign! name",
  "ad-servers list": "",
  "ad-servers rotate": "ad-server!",
  "ad-servers revoke": "ad-server!",
  "migrations list": "client legacy-subject email status",
  "migrations annul": "transaction!",
  "files list": "client status",
  "files show": "file!",
  "files delete": "file!",
  "public-assets list": "client!",
  "public-assets take-down": "asset!",
  usage: "client! kind since by by-credential",
  "retention show": "client!",
  "retention set": "client! kind! days!",
  "persons erase": "account email",
  "erasures show": "erasure!",
  "subscriptions create": "operation! types! from order filter",
  "subscriptions list": "client!",
  "subscriptions show": "subscription!",
  "subscriptions pause": "subscription!",
  "subscriptions resume": "subscription!",
  "subscriptions delete": "subscription!",
  "subscriptions replay": "subscription! from! to",
  listen: "client! types! forward-to!",
  trigger: "client!",
  "members list": "client!",
  "members add": "client! email! role!",
  "members set-role": "member! role!",
  "members remove": "member!",
  "contacts list": "client!",
  "contacts add": "client! email!",
  "contacts remove": "",
  "requests list": "client",
  "requests tail": "client!",
  "approvals list": "",
  "approvals approve": "approval!",
  "approvals reject": "approval!",
  "suppressions list": "client!",
  "suppressions lift": "endpoint!",
  "captured list": "client!",
  "captured show": "delivery!",
  mcp: "client allow-writes",
};

const leavesOf = (command: Command, path: readonly string[] = []): [string, Command][] =>
  command.commands.length === 0
    ? [[path.join(" "), command]]
    : command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));

const ctl = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));
const program = await createProgram(() => ctl);
const commands = new Map(leavesOf(program));

test.each(Object.entries(stable))("keeps %s with the options that scripts pass: %s", (words, options) => {
  const command = commands.get(words);
  expect(command).toBeDefined();
  const known = new Map(command?.options.map(({ long, mandatory }) => [(long ?? "").slice(2), mandatory]));
  const named = options.split(" ").filter((option) => option !== "");
  for (const option of named) expect([...known.keys()]).toContain(option.replace("!", ""));
  const required = [...known].filter(([, mandatory]) => mandatory).map(([name]) => `${name}!`);
  expect(named).toEqual(expect.arrayContaining(required));
});

test("keeps the options that every command accepts", () => {
  expect(program.options.map(({ long }) => long)).toEqual(expect.arrayContaining(["--json", "--reason"]));
});
