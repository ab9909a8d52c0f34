import type { ResponseOf } from "./operation-types.ts";

export type HostedContinuation = Pick<
  ResponseOf<"identity.createHostedContinuation">["data"],
  "id" | "continuation_token"
>;

/** The form that sends a browser to the hosted pages: its address and fields, and the complete form as HTML. */
export type HostedContinuationForm = {
  readonly action: string;
  readonly fields: { readonly continuation_id: string; readonly continuation_token: string };
  /** A `<form>` with its button, to be put into a page of the project's. It runs no script. */
  readonly html: string;
};

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

/**
 * The form for a hosted continuation. Send the page that contains it with `Cache-Control: no-store`: the token must not
 * end up in any URL, log, cache or third party.
 */
export function hostedContinuationForm(
  baseUrl: string,
  continuation: HostedContinuation,
  button = "Continue",
): HostedContinuationForm {
  const action = `${baseUrl.replace(/\/+$/, "")}/api/v1/identity-migration/continue`;
  const fields = { continuation_id: continuation.id, continuation_token: continuation.continuation_token };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  const html = `<form method="post" action="${escapeHtml(action)}">${inputs.join("")}<button>${escapeHtml(button)}</button></form>`;
  return { action, fields, html };
}
