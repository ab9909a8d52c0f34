import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serviceNames } from "@platform/contracts/services";

/** Secrets of one local stack, made at its first start and kept, so that what was sealed can be opened again. */
export type StackSecrets = {
  readonly operatorToken: string;
  readonly serviceKeys: Readonly<Record<string, string>>;
};

/** Reads the stack's secrets, and makes those that are missing. */
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

/** Reads STACK_MONITORING: does `make run` start Prometheus and Alertmanager? Throws when it is neither `on`, its default, nor `off`. */
export function readStackMonitoring(env: NodeJS.ProcessEnv): boolean {
  const value = env.STACK_MONITORING || "on";
  if (value !== "on" && value !== "off") throw new Error(`STACK_MONITORING must be on or off, not ${value}`);
  return value === "on";
}

/** People of the local identity provider, one a role. */
const operatorRoles = ["viewer", "support", "operator", "security", "root"] as const;

/** The file with the passwords of the local stack's operators, made at its first start and kept. */
export function operatorsFile(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "operators.env");
  if (!existsSync(path)) {
    const passwords = operatorRoles.map((role) => [
      `OPERATOR_${role.toUpperCase()}_PASSWORD`,
      randomBytes(12).toString("base64url"),
    ]);
    writeEnvFile(path, Object.fromEntries(passwords) as Record<string, string>);
  }
  return path;
}

/** Replaces the stack's secrets; what the old ones sealed opens only when they are given as SERVICE_KEY_PREVIOUS. */
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
