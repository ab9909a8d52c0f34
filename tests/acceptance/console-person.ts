import { passwordIn, type Role, signInWith, type Visitor, visitorOf } from "@platform/stack/console-visitor";
import type { BrowserContext, Page } from "playwright-core";
import { acceptanceStack } from "./stack.ts";

export { type Reply, type Role, readSection, type Visitor } from "@platform/stack/console-visitor";

export const roles = ["viewer", "support", "operator", "security", "root"] as const;

const { consoleUrl, directory } = acceptanceStack;

/** Returns the password of the person with this role on the local stack. */
export const passwordOf = (role: Role): string => passwordIn(directory, role);

/** Creates a browser without a window and without scripts, for the console of the acceptance stack. */
export const newVisitor = (cookies?: Map<string, string>): Visitor => visitorOf(consoleUrl, cookies);

/** Signs a visitor in through the identity provider's pages. Ends at the page to which the console redirects. */
export const signIn = (role: Role, visitor: Visitor = newVisitor(), to = "/"): Promise<Visitor> =>
  signInWith(visitor, role, passwordOf(role), to);

/** Returns the CSRF token of the forms on the visitor's pages. */
export async function csrfOf(visitor: Visitor): Promise<string> {
  const { html } = await visitor.get("/clients");
  return /name="csrf" value="([0-9a-f]{64})"/.exec(html)?.[1] ?? "";
}

/** Opens a window of a real browser in which a person is signed in. */
export async function openWindow(context: BrowserContext, role: Role): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${consoleUrl}/sign-in`);
  await page.getByLabel("Name").fill(role);
  await page.getByLabel("Password").fill(passwordOf(role));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  return page;
}

/** Paths of the navigation, each with the roles that see it. */
export const screens: readonly (readonly [path: string, title: string, seenBy: readonly Role[]])[] = [
  ["/", "Overview", roles],
  ["/clients", "Projects", roles],
  ["/deliveries", "Deliveries", roles],
  ["/endpoints", "Endpoints and consent", roles],
  ["/profiles", "Sender profiles", roles],
  ["/templates", "Templates", roles],
  ["/events", "Events", roles],
  ["/schedules", "Schedules", roles],
  ["/audits", "Audits", roles],
  ["/files", "Files", roles],
  ["/migrations", "Migrations", roles],
  ["/erasures", "Erasures", roles],
  ["/campaigns", "Campaigns", roles],
  ["/operators", "Operators", ["security", "root"]],
];
