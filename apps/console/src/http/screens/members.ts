import { members as table } from "@platform/contracts/operator/members";
import { html } from "@platform/kit/web/http";
import type { Member } from "@platform/proto/identity/v1/member_admin";
import { icon } from "../pages/icon.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";

const notSent = html`<p class="alert alert-warning">${icon("alert-triangle")} The invitation is valid, but no email about it was sent: the project had sent 20 of them within an hour, or the mail server refused the address. Ask the person to sign in to this console with the address.</p>`;

export const members = screenOf(table, {
  show: async (_visit, row: Member) => html`${row.invitationEmail === "not_sent" && notSent}${rowFacts(table, row)}`,
});
