import { credentials as table } from "@platform/contracts/operator/credentials";
import { rowOf } from "@platform/contracts/operator/row-values";
import { scopes as knownScopes } from "@platform/contracts/scopes";
import {
  ProjectClientAdminService,
  type ProjectCredential,
  ProjectCredentialSchema,
} from "@platform/proto/identity/v1/identity_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";
import { parseInteger, parseTime } from "./timestamps.ts";

/** Commands `credentials …`, for the credentials of project backends. */
export function registerCredentialCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(ProjectClientAdminService);
  const credentials = topLevel(program, "credentials");

  credentials
    .command("issue")
    .description("Issue a credential. It is printed only now and cannot be shown again.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--scopes <scopes>", `comma-separated: ${knownScopes.join(", ")}`)
    .option("--name <name>", "description, for example the host that uses the credential")
    .option("--expires-at <time>", "RFC 3339; default: the credential does not expire")
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
    .description("Issue a successor with the same name and scopes. The old credential expires after the overlap.")
    .requiredOption("--credential-id <id>", "id of the credential to replace")
    .option(
      "--overlap-seconds <seconds>",
      "how long the old credential still works (default 86400; 0 ends it immediately)",
    )
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

  registerResource(credentials, ctl, table);
}

function parseScopes(text: string): string[] {
  const given = text
    .split(",")
    .map((scope) => scope.trim())
    .filter((scope) => scope !== "");
  for (const scope of given) {
    if (!(knownScopes as readonly string[]).includes(scope)) {
      throw new UsageError(`--scopes: "${scope}" is not a scope; the scopes are ${knownScopes.join(", ")}`);
    }
  }
  return given;
}

const credentialForm = (credential: ProjectCredential | undefined) => {
  if (credential === undefined) throw new Error("identity-svc answered without a Project Credential");
  return rowOf(ProjectCredentialSchema, table.columns, credential);
};
