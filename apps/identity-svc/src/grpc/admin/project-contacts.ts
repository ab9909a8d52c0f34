import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { hashToken, isUuid, newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { emailHint, isEmailAddress, normalizeEmail } from "@platform/kit/web/mail";
import { invalidRequest } from "@platform/operator-plane/operators";
import { noticeTypes } from "@platform/operator-plane/platform-events";
import { ProjectContactAdminService } from "@platform/proto/identity/v1/project_contact_admin";
import { contactKinds, contactsMax, isContactKind, type ProjectContact } from "../../domain/project-contact.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { currentToken } from "../../operations/derived-tokens.ts";
import { projectClientNotFound } from "./refuse.ts";

/** RPCs for the contacts of a Project Client. */
export function projectContactAdmin(context: IdentityContext): ServedService {
  const { contacts, clients, keyring, clock } = context;
  const shown = (contact: ProjectContact | null) => {
    if (contact === null) throw contactNotFound();
    return { contact: contactMessage(contact) };
  };
  const implementation: Implementation<typeof ProjectContactAdminService> = {
    listProjectContacts: async ({ projectClientId }) => ({
      contacts: (await contacts.list(requireClientId(projectClientId))).map(contactMessage),
    }),
    addProjectContact: async ({ projectClientId, email, kind }) => {
      const clientId = requireClientId(projectClientId);
      if (!isContactKind(kind)) throw invalidRequest("/kind", `must be ${contactKinds.join(" or ")}`);
      const address = readEmail(email);
      if ((await clients.find(clientId)) === null) throw projectClientNotFound();
      const known = await contacts.list(clientId);
      const isKnown = known.some((each) => each.email === address && each.kind === kind);
      if (!isKnown && known.length >= contactsMax)
        throw new ServiceError("project_contacts_exceeded", `A Project Client has at most ${contactsMax} contacts.`);
      const id = newId();
      const contact: ProjectContact = {
        id,
        project_client_id: clientId,
        email: address,
        kind,
        confirmed_at: null,
        muted: [],
        created_at: clock(),
      };
      return shown(await contacts.add(contact, hashToken(currentToken(keyring, "project-contact.link-token", id))));
    },
    removeProjectContact: async ({ contactId }) => {
      if (!(await contacts.remove(contactId.toLowerCase()))) throw contactNotFound();
      return {};
    },
    removeProjectContactAddress: async ({ projectClientId, email, kind }) => {
      if (kind !== "" && !isContactKind(kind)) throw invalidRequest("/kind", `must be ${contactKinds.join(" or ")}`);
      const address = readEmail(email);
      const removed = await contacts.removeAddress(
        requireClientId(projectClientId),
        address,
        kind === "" ? null : kind,
      );
      if (removed === 0) throw contactNotFound();
      return { removed };
    },
    muteProjectContact: async ({ contactId, types }) =>
      shown(await contacts.mute(contactId.toLowerCase(), requireTypes(types))),
    unmuteProjectContact: async ({ contactId, types }) =>
      shown(await contacts.unmute(contactId.toLowerCase(), requireTypes(types))),
  };
  return implementForOperators(ProjectContactAdminService, implementation);
}

function requireClientId(text: string): string {
  if (!isUuid(text)) throw invalidRequest("/project_client_id", "must be the UUID of a Project Client");
  return text.toLowerCase();
}

function readEmail(text: string): string {
  const email = normalizeEmail(text);
  if (!isEmailAddress(email)) throw invalidRequest("/email", "must be an email address");
  return email;
}

function requireTypes(types: readonly string[]): readonly string[] {
  const unknown = types.find((type) => !noticeTypes.includes(type));
  if (types.length === 0 || unknown !== undefined)
    throw invalidRequest("/types", `must be among ${noticeTypes.join(", ")}`);
  return types;
}

const contactNotFound = (): ServiceError =>
  new ServiceError("project_contact_not_found", "There is no such contact of this Project Client.");

function contactMessage(contact: ProjectContact) {
  return {
    id: contact.id,
    emailHint: emailHint(contact.email),
    kind: contact.kind,
    status: contact.confirmed_at === null ? "pending" : "confirmed",
    muted: [...contact.muted],
    projectClientId: contact.project_client_id,
    createdAt: timestampFromDate(contact.created_at),
  };
}
