import { join } from "node:path";
import { readEnvFile } from "./settings.ts";

export type Role = "viewer" | "support" | "operator" | "security" | "root";
/** A person of the local stack: an operator by their role, or one of the demo project's people. */
export type Person = Role | "owner" | "developer";

export type Reply = { readonly status: number; readonly headers: Headers; readonly html: string; readonly url: string };

/** A browser without a window and without scripts. It keeps cookies, and follows redirects on request. */
export type Visitor = {
  readonly cookies: Map<string, string>;
  /** `path` is a path of the console, or a complete address. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  post(
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  /** Requests a page with GET, and follows redirects to the last page. */
  open(path: string): Promise<Reply>;
};

export function visitorOf(consoleUrl: string, cookies = new Map<string, string>()): Visitor {
  const ask = async (path: string, init: RequestInit): Promise<Reply> => {
    const url = new URL(path, consoleUrl);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", ...init, headers: { cookie, ...init.headers } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, html: await response.text(), url: url.href };
  };
  const get: Visitor["get"] = (path, headers = {}) => ask(path, { headers });
  const open: Visitor["open"] = async (path) => {
    let reply = await get(path);
    for (let hops = 0; hops < 10 && reply.headers.has("location"); hops += 1) {
      reply = await get(new URL(reply.headers.get("location") ?? "", reply.url).href);
    }
    return reply;
  };
  return {
    cookies,
    get,
    open,
    post: (path, form, headers = {}) => ask(path, { method: "POST", body: new URLSearchParams(form), headers }),
  };
}

/** Returns the password of a person of the local stack. */
export function passwordIn(directory: string, person: Person): string {
  const people = readEnvFile(join(directory, "operators.env"));
  const name = `${person.toUpperCase()}_PASSWORD`;
  return people[`OPERATOR_${name}`] ?? people[`MEMBER_${name}`] ?? "";
}

/** Signs a visitor in through the identity provider's pages. Ends at the page to which the console redirects. */
export async function signInWith(visitor: Visitor, role: Person, password: string, to = "/"): Promise<Visitor> {
  const page = await visitor.open(`/sign-in?to=${encodeURIComponent(to)}`);
  const action = /<form[^>]*action="([^"]+)"/.exec(page.html)?.[1];
  if (action === undefined) throw new Error(`no sign-in page at ${page.url}: ${page.html.slice(0, 200)}`);
  const answer = await visitor.post(new URL(action, page.url).href, { username: role, password });
  const end = await visitor.open(new URL(answer.headers.get("location") ?? "", page.url).href);
  if (end.status !== 200) throw new Error(`the sign-in ended at ${end.url} with ${end.status}`);
  return visitor;
}

/** Finds a section of a page by its heading. Returns an empty text if the page has none. */
export async function readSection(visitor: Visitor, path: string, heading: string): Promise<string> {
  const { html, status } = await visitor.get(path);
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return html.split("<section").find((part) => part.includes(`<h2>${heading}</h2>`)) ?? "";
}
