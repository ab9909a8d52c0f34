import { scopes as knownScopes } from "@platform/contracts/scopes";
import { ProjectClientAdminService, type ProjectCredential } from "@platform/proto/identity/v1/identity_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { readInteger } from "../../options.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";
import { parseInteger, parseTime, timeOrNull } from "./timestamps.ts";

const pageMax = 200;

/** `credentials …`: what project backends present. */
export function registerCredentialCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(ProjectClientAdminService);
  const credentials = topLevel(program, "credentials");

  credentials
    .command("issue")
    .description("Issue a credential. It is printed once and cannot be shown again.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--scopes <scopes>", `comma-separated: ${knownScopes.join(", ")}`)
    .option("--name <name>", "for people, for example the host that uses it")
    .option("--expires-at <time>", "RFC 3339; without it the credential does not expire")
    .addHelpText(
      "after",
      `\nExample:\n  platformctl credentials issue --client <id> --scopes clients:read,events:write`,
    )
    .action(async (options: { client: string; scopes: string; name?: string; expiresAt?: string }) => {
      const reply = await admin().issueProjectCredential(
        {
          projectClientId: options.client,
          scopes: parseScopes(options.scopes),
          name: options.name ?? "",
          ...(options.expiresAt === undefined ? {} : { expiresAt: parseTime("--expires-at", options.expiresAt) }),
        },
        ctl.call(),
      );
      const { id, scopes, expires_at } = credentialForm(reply.projectCredential);
      ctl.print({ id, credential: reply.credential, scopes, expires_at });
    });

  credentials
    .command("rotate")
    .description("Issue a successor with the same name and scopes; the old credential ends after the overlap.")
    .requiredOption("--credential-id <id>", "id of the credential to succeed")
    .option("--overlap-seconds <seconds>", "how long the old one goes on working (default 86400; 0 ends it at once)")
    .addHelpText("after", `\nExample:\n  platformctl credentials rotate --credential-id <id> --overlap-seconds 3600`)
    .action(async (options: { credentialId: string; overlapSeconds?: string }) => {
      const overlap = options.overlapSeconds;
      const reply = await admin().rotateProjectCredential(
        {
          credentialId: options.credentialId,
          ...(overlap === undefined ? {} : { overlapSeconds: BigInt(parseInteger("--overlap-seconds", overlap, 0)) }),
        },
        ctl.call(),
      );
      ctl.print({
        ...credentialForm(reply.projectCredential),
        credential: reply.credential,
        rotated: credentialForm(reply.rotated),
      });
    });

  credentials
    .command("revoke")
    .description("End a credential now, on every gateway within a second.")
    .requiredOption("--credential-id <id>", "id of the credential")
    .action(async (options: { credentialId: string }) => {
      const reply = await admin().revokeProjectCredential({ credentialId: options.credentialId }, ctl.call());
      ctl.print(credentialForm(reply.projectCredential));
    });

  credentials
    .command("list")
    .description(
      "List credentials, oldest first, without secrets: of one Project Client or of all. last_used_at is exact to about a minute.",
    )
    .option("--client <id>", "Project Client id")
    .option("--expires-within-days <n>", "only those that expire within so many days, the first to expire first")
    .option("--limit <n>", "at most this many; without it all")
    .addHelpText("after", "\nExample:\n  platformctl credentials list --expires-within-days 30")
    .action(async (options: { client?: string; expiresWithinDays?: string; limit?: string }) => {
      const days = options.expiresWithinDays;
      const expiresWithinDays = days === undefined ? 0 : readInteger("--expires-within-days", days, 1, 3_650);
      const limit =
        options.limit === undefined ? Number.POSITIVE_INFINITY : readInteger("--limit", options.limit, 1, 200);
      const all: ProjectCredential[] = [];
      for (let cursor = "", isLast = false; !isLast && all.length < limit; ) {
        const page = { limit: Math.min(pageMax, limit - all.length), cursor };
        const reply = await admin().listProjectCredentials(
          { projectClientId: options.client ?? "", expiresWithinDays, ...page },
          ctl.call(),
        );
        all.push(...reply.projectCredentials);
        cursor = reply.nextCursor;
        isLast = cursor === "";
      }
      ctl.print(all.map(credentialForm));
    });
}

function parseScopes(text: string): string[] {
  const given = text
    .split(",")
    .map((scope) => scope.trim())
    .filter((scope) => scope !== "");
  for (const scope of given) {
    if (!(knownScopes as readonly string[]).includes(scope)) {
      throw new UsageError(`--scopes: "${scope}" is no scope; there are ${knownScopes.join(", ")}`);
    }
  }
  return given;
}

function credentialForm(credential: ProjectCredential | undefined) {
  if (credential === undefined) throw new Error("identity-svc answered without a Project Credential");
  return {
    id: credential.id,
    project_client_id: credential.projectClientId,
    name: credential.name,
    scopes: credential.scopes,
    created_at: timeOrNull(credential.createdAt),
    expires_at: timeOrNull(credential.expiresAt),
    revoked_at: timeOrNull(credential.revokedAt),
    last_used_at: timeOrNull(credential.lastUsedAt),
    last_used_network: credential.lastUsedNetwork || null,
    rotated_to_id: credential.rotatedToId === "" ? null : credential.rotatedToId,
  };
}
