import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serviceNames } from "@platform/contracts/services";

/**
 * Secrets of one local stack. They are created at its first start and kept, so that encrypted data can be decrypted
 * later.
 */
export type StackSecrets = {
  readonly operatorToken: string;
  readonly serviceKeys: Readonly<Record<string, string>>;
};

/** Reads the stack's secrets, and creates those that are missing. */
export function loadSecrets(directory: string): StackSecrets {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "secrets.json");
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as StackSecrets) : null;
  const keyOf = (service: string): string => known?.serviceKeys[service] ?? randomBytes(32).toString("base64");
  const secrets: StackSecrets = {
    operatorToken: known?.operatorToken ?? randomBytes(32).toString("hex"),
    serviceKeys: Object.fromEntries(serviceNames.map((service) => [service, keyOf(service)])),
  };
  writeSecrets(directory, secrets);
  return secrets;
}

/**
 * Reads STACK_MONITORING: whether `make run` starts Prometheus and Alertmanager. Throws if it is neither `on`, its
 * default, nor `off`.
 */
export function readStackMonitoring(env: NodeJS.ProcessEnv): boolean {
  return readSwitch(env, "STACK_MONITORING");
}

/**
 * Reads DEMO_HISTORY: whether `make run` gives the demo project a month of sample records. Throws if it is neither
 * `on`, its default, nor `off`.
 */
export function readDemoHistory(env: NodeJS.ProcessEnv): boolean {
  return readSwitch(env, "DEMO_HISTORY");
}

function readSwitch(env: NodeJS.ProcessEnv, name: string): boolean {
  const value = env[name] || "on";
  if (value !== "on" && value !== "off") throw new Error(`${name} must be on or off, not ${value}`);
  return value === "on";
}

/** People of the local identity provider, one per role. */
const operatorRoles = ["viewer", "support", "operator", "security", "root"] as const;

/** People of the demo project, who sign in at the local provider with the name of their role. */
const demoMembers = ["owner", "developer"] as const;

/**
 * Returns the file with the local stack's people and their passwords. It is created at the first start and kept; missing people are added.
 */
export function operatorsFile(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "operators.env");
  const known = existsSync(path) ? readEnvFile(path) : {};
  const newPassword = (): string => randomBytes(12).toString("base64url");
  const people = Object.fromEntries([
    ...operatorRoles.map((role) => [`OPERATOR_${role.toUpperCase()}_PASSWORD`, newPassword()]),
    ...demoMembers.flatMap((role) => [
      [`MEMBER_${role.toUpperCase()}_PASSWORD`, newPassword()],
      [`MEMBER_${role.toUpperCase()}_EMAIL`, `${role}@demo-project.example`],
    ]),
  ]) as Record<string, string>;
  if (Object.keys(people).some((name) => known[name] === undefined)) writeEnvFile(path, { ...people, ...known });
  return path;
}

/** A person of the local stack as `make run` prints them: sign-in name, password, and for a member also the email address. */
export type LocalPerson = { readonly name: string; readonly password: string; readonly email: string | null };

/** Reads the people in the file. */
export function peopleIn(path: string): LocalPerson[] {
  const values = readEnvFile(path);
  return Object.entries(values).flatMap(([variable, password]) => {
    const [, kind, name] = /^(OPERATOR|MEMBER)_([A-Z]+)_PASSWORD$/.exec(variable) ?? [];
    if (name === undefined) return [];
    const email = kind === "MEMBER" ? (values[`MEMBER_${name}_EMAIL`] ?? null) : null;
    return [{ name: name.toLowerCase(), password, email }];
  });
}

/**
 * Replaces the stack's secrets. Data that was encrypted with the old ones can only be decrypted if they are given as
 * SERVICE_KEY_PREVIOUS.
 */
export function writeSecrets(directory: string, secrets: StackSecrets): void {
  writeFileSync(join(directory, "secrets.json"), JSON.stringify(secrets, null, 2), { mode: 0o600 });
}

/** Writes NAME=value lines that only the owner may read. */
export function writeEnvFile(path: string, values: Readonly<Record<string, string>>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path, lines.join(""), { mode: 0o600 });
}

/** Reads a file of NAME=value lines. */
export function readEnvFile(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes("="));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
