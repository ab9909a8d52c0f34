import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import type { PlatformSession } from "../../domain/platform-session.ts";
import { richTextsOf, textsOf } from "../../locales/texts.ts";
import type { LinkedProject } from "../../operations/export-account.ts";
import type { AccountVisit, Notice } from "../account/account-visit.ts";
import { pageAddress } from "../page-address.ts";
import { form } from "./form.ts";
import type { Page } from "./layout.ts";
import { shownTime } from "./shown-time.ts";

type Shown = {
  readonly projects: readonly LinkedProject[];
  readonly sessions: readonly PlatformSession[];
  readonly notice: Notice | null;
};

/** Account page: the person's data, with a link to each change. */
export function accountPage(visit: AccountVisit, { projects, sessions, notice }: Shown): Page {
  const { language } = visit;
  const texts = textsOf(language);
  return {
    language,
    title: texts("account.title"),
    at: "account",
    body: html`<h1>${texts("account.title")}</h1>
${notice !== null && html`<p class="alert alert-success" role="status">${texts(`notice.${notice}`)}</p>`}
${addressPart(visit)}
<section>
<h2>${texts("password")}</h2>
<p>${texts("account.password.text")}</p>
<p><a href="${pageAddress("account/password")}">${texts("account.password.change")}</a></p>
</section>
${projectsPart(visit, projects)}
${sessionsPart(visit, sessions)}
<section>
<h2>${texts("account.data")}</h2>
<p>${texts("account.data.text")}</p>
${form(visit, "account/data", html`<button class="btn" type="submit">${texts("account.data.download")}</button>`)}
</section>
<section>
<h2>${texts("account.delete.title")}</h2>
<p>${texts("account.delete.short")}</p>
<p><a class="danger" href="${pageAddress("account/delete")}">${texts("account.delete.link")}</a></p>
</section>
${form(visit, "account/sign-out", html`<button class="btn quiet" type="submit">${texts("account.signOut")}</button>`)}`,
  };
}

function addressPart({ account, language }: AccountVisit): SafeHtml {
  const texts = textsOf(language);
  const rich = richTextsOf(language);
  return html`<section>
<h2>${texts("email")}</h2>
${account.login_identifiers.map(
  ({ email, verified_at }) =>
    html`<p><strong><bdi>${email}</bdi></strong><br><span class="form-hint">${
      verified_at === null
        ? texts("account.address.unconfirmed")
        : rich("account.address.confirmed", { date: shownTime(language, verified_at) })
    }</span></p>`,
)}
<p><a href="${pageAddress("account/address")}">${texts("account.address.change")}</a></p>
</section>`;
}

function projectsPart({ language }: AccountVisit, projects: readonly LinkedProject[]): SafeHtml {
  const texts = textsOf(language);
  const rich = richTextsOf(language);
  const stateOf = ({ name, status, at }: LinkedProject): HtmlValue =>
    status === "completed"
      ? rich("account.projects.linked", { date: shownTime(language, at) })
      : texts("waiting.title", { project: name });
  return html`<section>
<h2>${texts("account.projects")}</h2>
${projects.length === 0 && html`<p>${texts("account.projects.none")}</p>`}
<ul class="entries">${projects.map(
    (project) => html`<li><strong><bdi>${project.name}</bdi></strong><br>
<span class="form-hint">${stateOf(project)}<br>${texts("account.projects.as", { email: project.email })}</span></li>`,
  )}</ul>
</section>`;
}

function sessionsPart(visit: AccountVisit, sessions: readonly PlatformSession[]): SafeHtml {
  const { language } = visit;
  const texts = textsOf(language);
  const others = sessions.filter(({ id }) => id !== visit.session.id).length;
  return html`<section>
<h2>${texts("account.sessions")}</h2>
<ul class="entries">${sessions.map((session) => sessionEntry(visit, session))}</ul>
${
  others > 0 &&
  form(
    visit,
    "account/end-other-sessions",
    html`<button class="btn" type="submit">${texts("account.sessions.endOthers", { count: others })}</button>`,
  )
}
</section>`;
}

function sessionEntry(visit: AccountVisit, session: PlatformSession): SafeHtml {
  const { language } = visit;
  const texts = textsOf(language);
  const rich = richTextsOf(language);
  const isHere = session.id === visit.session.id;
  const since = shownTime(language, session.created_at);
  const seen = shownTime(language, session.last_seen_at);
  return html`<li><strong>${texts(isHere ? "account.session.here" : "account.session.elsewhere")}</strong><br>
<span class="form-hint">${rich("account.session.times", { since, seen })}</span>
${
  !isHere &&
  form(
    visit,
    "account/end-session",
    html`<input type="hidden" name="session" value="${session.id}">
<button class="link" type="submit">${rich("account.session.end", { since })}</button>`,
  )
}</li>`;
}
