import { defined } from "@platform/kit/process/fields";
import { isServiceError, type ServiceError } from "@platform/kit/rpc/errors";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { accessOf, isSecurityAct, memberRolesOf, recentSignInMs } from "@platform/operator-plane/operators";
import { PageProblem, statusOf } from "./page-problem.ts";
import { table } from "./pages/elements.ts";
import { csrfField, type Field, fieldHtml } from "./pages/fields.ts";
import { icon } from "./pages/icon.ts";
import type { Action, Answer } from "./screen.ts";
import { isRecorded, mayAct, needsReason, revealRoles, rolesFor, type Visit } from "./visit.ts";

const reasonMax = 500;

/** Returns links to the actions that the operator may perform. `:id` in their paths is replaced by `id`. */
export function actionLinks(visit: Visit, actions: readonly Action[], id = "", query = ""): HtmlValue {
  const allowed = actions.filter((action) => mayAct(visit, action));
  if (allowed.length === 0) return null;
  const dangerLast = [...allowed.filter(({ isDanger }) => isDanger !== true), ...allowed.filter(isDangerous)];
  return html`<p class="btn-list">${dangerLast.map(
    (action) =>
      html`<a class="btn${isDangerous(action) && " btn-outline-danger"}" href="${action.path.replace(":id", encodeURIComponent(id))}${query}">${action.title}</a>`,
  )}</p>`;
}

const isDangerous = ({ isDanger }: Action): boolean => isDanger === true;

/** Shows the page that explains what an action will do and asks for confirmation. */
export async function askForAction(visit: Visit, action: Action): Promise<Answer> {
  if (isSignInOld(visit, action)) return signInAnew(visit);
  return actionPage(visit, action, null);
}

/** Performs the action with the posted form. If an error can be corrected, the form is shown again. */
export async function runAction(visit: Visit, action: Action): Promise<Answer> {
  if (action.preview !== undefined && visit.field("step") === "show") return actionPage(visit, action, null);
  const reason = visit.field("reason");
  if (asksReason(action) && reason === "") {
    visit.response.status(422);
    return actionPage(visit, action, "Give a reason. It is kept in the record of operator actions.");
  }
  if (action.isOnce === true && !(await visit.sessions.takeForm(visit.sessionId, visit.field("form"))))
    throw new PageProblem(
      409,
      "This form has already been sent",
      "Nothing was done this time. What the first submission created is in its list. A secret that was shown then is not shown again.",
    );
  try {
    const outcome = await action.run(visit, reason === "" ? {} : { reason });
    return outcome !== null && "again" in outcome ? actionPage(visit, action, null) : outcome;
  } catch (error) {
    if (isServiceError(error, "recent_sign_in_required")) return signInAnew(visit);
    if (isServiceError(error, "second_person_required")) return { redirect: approvalOf(error), notice: waits };
    if (isServiceError(error, "revision_conflict")) {
      visit.response.status(409);
      return actionPage(visit, action, overtaken, true);
    }
    const problem = correctable(error);
    if (problem === null) throw error;
    visit.response.status(422);
    return actionPage(visit, action, problem);
  }
}

/** Throws a page that names the permitted roles, unless the operator has one of them. */
export function requireRoleFor(visit: Visit, action: Pick<Action, "method" | "isReveal">): void {
  if (mayAct(visit, action)) return;
  const roles = rolesFor(action.method).filter((role) => action.isReveal !== true || revealRoles.includes(role));
  const access = accessOf(action.method);
  const memberRoles = visit.project === null || access === null ? [] : memberRolesOf(access);
  const inProject = memberRoles.length === 0 ? "" : ` the role ${memberRoles.join(" or ")} in the project, or`;
  throw new PageProblem(
    403,
    "You do not have permission to do this",
    `This needs${inProject} one of the roles ${roles.join(", ")}.`,
  );
}

/** Time that a person has to fill in a form before their sign-in is too old to submit it, in milliseconds. */
const fillInMs = 5 * 60_000;

/**
 * Returns whether the sign-in will soon be too old for a change that affects security. The person then signs in again
 * before they fill in the form.
 */
function isSignInOld({ session }: Visit, { method }: Action): boolean {
  const access = accessOf(method);
  if (access === null || !isSecurityAct(access) || session.signedInAtMs === undefined) return false;
  // Sign-in times are wall-clock times, so they are compared with Date.now().
  return Date.now() - session.signedInAtMs > recentSignInMs - fillInMs;
}

/** Redirects to the identity provider, and from there back to the form. */
const signInAnew = ({ request, session: { provider = "operators" } }: Visit): Answer => ({
  redirect: `/sign-in?fresh=yes&as=${provider}&to=${encodeURIComponent(request.originalUrl)}`,
});

const approvalOf = ({ details }: ServiceError): string =>
  `/approvals/${encodeURIComponent(String(details.approval_id))}`;

const waits =
  "Nothing was done yet: the act waits here until another person with the role security approves it, for 24 hours.";

const overtaken =
  "Someone else changed this in the meantime, so nothing was done. Compare the current values with yours. If you send the form again, yours replace them.";

/** Returns whether the action is recorded, so that a reason can be stored. */
const isKept = (action: Action): boolean => asksReason(action) || isRecorded(action.method);

/** Returns the message for an error that the person can correct in the form; null for any other error. */
function correctable(error: unknown): string | null {
  if (error instanceof PageProblem && error.status === 422) return error.message;
  return isServiceError(error) && statusOf(error) === 422 ? messageOf(error) : null;
}

const asksReason = ({ method, isReveal }: Action): boolean => isReveal === true || needsReason(method);

function messageOf({ message, details }: ServiceError): string {
  const violations = (details.violations ?? []) as readonly { pointer?: string; message?: string }[];
  return [message, ...violations.map((each) => [each.pointer, each.message].filter(Boolean).join(": "))].join(" ");
}

/**
 * Renders the page of an action. @param isOvertaken true if someone else has changed the resource since the form was
 * opened. The form then starts from the current values and shows both
 */
async function actionPage(visit: Visit, action: Action, problem: string | null, isOvertaken = false): Promise<Answer> {
  const [{ what, crumbs }, fields, form] = await Promise.all([
    action.describe(visit),
    action.fields?.(visit) ?? [],
    action.isOnce === true ? visit.sessions.openForm(visit.sessionId) : null,
  ]);
  const reason: Field = {
    name: "reason",
    label: asksReason(action) ? "Reason" : "Reason (optional)",
    hint: "Kept in the record of operator actions.",
    isRequired: asksReason(action),
    maxLength: reasonMax,
  };
  // Returns whether the form shows the typed value again. It shows no secrets. A checkbox that was not sent is
  // shown unticked, because browsers send a checkbox only if it is ticked.
  const isKeptAsTyped = ({ name, type, isSecret }: Field): boolean =>
    visit.request.method === "POST" &&
    (visit.hasField(name) || type === "checkbox") &&
    type !== "password" &&
    isSecret !== true &&
    !(type === "hidden" && isOvertaken);
  const typed = (field: Field): Field => (isKeptAsTyped(field) ? { ...field, value: visit.field(field.name) } : field);
  const both = isOvertaken ? comparison(visit, fields) : null;
  return {
    title: action.title,
    ...defined({ crumbs }),
    body: html`${problem !== null && html`<p class="alert alert-danger" role="alert">${icon("alert-triangle")} ${problem}</p>`}
<section${action.isDanger === true && html` class="danger"`} aria-label="What will happen">${what}${both}
<form class="act d-grid gap-3" method="post" action="${visit.here({ upload: action.isLarge === true ? visit.sessions.openForm(visit.sessionId) : null })}">${csrfField(visit)}${form !== null && html`<input type="hidden" name="form" value="${form}">`}
${[...fields, ...(isKept(action) ? [reason] : [])].map((field) => fieldHtml(typed(field), "act"))}
${action.preview !== undefined && html`<button class="btn" name="step" value="show">${action.preview}</button>`}<button class="btn ${action.isDanger === true ? "btn-danger" : "btn-primary"}">${action.button}</button></form></section>`,
  };
}

/** Renders the current and the typed values of the fields that differ. */
function comparison(visit: Visit, fields: readonly Field[]): HtmlValue {
  const rows = fields.flatMap(({ name, label, present }) =>
    present === undefined || present === visit.field(name)
      ? []
      : [[label, present || "none", visit.field(name) || "none"]],
  );
  return rows.length === 0 ? null : table("Differences", ["", "Current value", "Your value"], rows);
}
