import { join } from "node:path";
import type { StackPorts } from "./ports.ts";

/** Returns the command that starts the provider sink, which replaces mail servers and push providers. */
export function sinkSpec(root: string, ports: StackPorts) {
  const args = Object.entries({
    "--http-port": ports.sinkHttp,
    "--smtp-port": ports.sinkSmtp,
    "--smtps-port": ports.sinkSmtps,
    "--apns-port": ports.sinkApns,
    "--apns-tls-port": ports.sinkApnsTls,
    "--report-port": ports.bounces.smtp,
  }).flatMap(([name, port]) => [name, `${port}`]);
  return {
    name: "provider-sink",
    command: process.execPath,
    args: [join(root, "tools/provider-sink/src/main.ts"), ...args],
    cwd: root,
  };
}

/** @param people file with the passwords of the operators */
export function oidcProviderSpec(root: string, ports: StackPorts, people: string) {
  const console = `http://127.0.0.1:${ports.base + 30}/sign-in/callback`;
  const args = ["--port", `${ports.oidcProvider}`, "--people", people, "--console-redirect-uri", console];
  return {
    name: "oidc-provider",
    command: process.execPath,
    args: [join(root, "tools/local/oidc-provider/src/main.ts"), ...args],
    cwd: root,
  };
}
