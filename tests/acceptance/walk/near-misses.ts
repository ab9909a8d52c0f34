import { randomBytes } from "node:crypto";
import { ctl, type TestClient } from "../stack.ts";

/** Values of the Authorization header that resemble a valid value, by name; null sends no header. */
export type NearMisses = Readonly<Record<string, string | null>>;

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");

/** Replaces the last character, a hex digit, by another. */
const oneBitOff = (token: string): string => token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");

/** Returns values that resemble a token `<prefix>_<32 hex>_<64 hex>`, derived from two valid tokens. */
function nearMissesOf(token: string, other: string): Record<string, string | null> {
  const [prefix = "", id = "", secret = ""] = token.split("_");
  const [, otherId = "", otherSecret = ""] = other.split("_");
  return {
    "nothing presented": null,
    "an empty scheme": "Bearer",
    "another scheme": `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
    "the bare token": token,
    "a token of nothing": `Bearer ${prefix}_`,
    "an unknown id": `Bearer ${prefix}_${hex(16)}_${secret}`,
    "a secret one bit off": `Bearer ${oneBitOff(token)}`,
    "another's secret": `Bearer ${prefix}_${id}_${otherSecret}`,
    "another's id": `Bearer ${prefix}_${otherId}_${secret}`,
    "a secret too short": `Bearer ${token.slice(0, -1)}`,
    "a secret too long": `Bearer ${token}0`,
    "a secret in upper case": `Bearer ${prefix}_${id}_${secret.toUpperCase().replace(/^[0-9]+$/, "A")}`,
    "the id as a UUID": `Bearer ${prefix}_${id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}_${secret}`,
    "two tokens": `Bearer ${token}, Bearer ${other}`,
    "a tail after a NUL of percent encoding": `Bearer ${token}%00`,
    "an operator in place of the secret": `Bearer ${prefix}_${id}_{"$gt":""}`,
    "a header of 6,000 characters": `Bearer ${prefix}_${"0".repeat(6_000)}`,
  };
}

/**
 * Returns values that resemble a Project Credential, including revoked and expired credentials and a valid Platform Session.
 */
export async function credentialNearMisses(client: TestClient, session: string): Promise<NearMisses> {
  const issue = () => ctl(["credentials", "issue", "--client", client.id, "--scopes", client.scopes.join(",")]);
  const [other, revoked, expired] = await Promise.all([issue(), issue(), issue()]);
  await Promise.all([
    ctl(["credentials", "revoke", "--credential-id", revoked.id]),
    // The rotation has no overlap, because the old credential has expired.
    ctl(["credentials", "rotate", "--credential-id", expired.id, "--overlap-seconds", "0"]),
  ]);
  return {
    ...nearMissesOf(client.credential, other.credential),
    "a revoked credential": `Bearer ${revoked.credential}`,
    "an expired credential": `Bearer ${expired.credential}`,
    "a Platform Session": `Bearer ${session}`,
    "the credential under the session's prefix": `Bearer ${client.credential.replace("pcred_", "psess_")}`,
  };
}

/** Returns values that resemble a Platform Session, including a revoked session and a valid Project Credential. */
export async function sessionNearMisses(accountId: string, session: string, credential: string): Promise<NearMisses> {
  const [other, revoked] = await Promise.all([
    ctl(["sessions", "create", "--account", accountId]),
    ctl(["sessions", "create", "--account", accountId]),
  ]);
  await ctl(["sessions", "revoke", "--session-id", revoked.session.split("_")[1]]);
  return {
    ...nearMissesOf(session, other.session),
    "a revoked session": `Bearer ${revoked.session}`,
    "a Project Credential": `Bearer ${credential}`,
    "the session under the credential's prefix": `Bearer ${session.replace("psess_", "pcred_")}`,
  };
}
