/** Browser state of a signed-in person: cookies and the CSRF token of the forms. */
export type ConsoleSession = { readonly cookie: string; readonly csrf: string };

const hopsMax = 12;

/**
 * Signs a person of the local stack in through the identity provider's pages.
 * @throws Error with the address at which the sign-in ended, if it was not a page of the console
 */
export async function signInToConsole(consoleUrl: string, username: string, password: string): Promise<ConsoleSession> {
  const cookies = new Map<string, string>();
  const send = async (url: string, body?: URLSearchParams) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(body === undefined ? {} : { method: "POST", body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { url, location: response.headers.get("location"), html: await response.text() };
  };
  const follow = async (url: string, body?: URLSearchParams) => {
    let page = await send(url, body);
    for (let hops = 0; hops < hopsMax && page.location !== null; hops += 1)
      page = await send(new URL(page.location, page.url).href);
    return page;
  };
  const form = await follow(`${consoleUrl}/sign-in?to=/clients`);
  const action = /<form[^>]*action="([^"]+)"/.exec(form.html)?.[1];
  if (action === undefined) throw new Error(`no sign-in form at ${form.url}`);
  const end = await follow(new URL(action, form.url).href, new URLSearchParams({ username, password }));
  const csrf = /name="csrf" value="([0-9a-f]{64})"/.exec(end.html)?.[1];
  if (csrf === undefined) throw new Error(`the sign-in ended at ${end.url} without a session`);
  return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "), csrf };
}
