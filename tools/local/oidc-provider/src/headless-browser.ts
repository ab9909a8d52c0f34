/** A page that the browser shows. */
export type Page = { readonly url: URL; readonly status: number; readonly html: string };

/**
 * A browser without a window, for tests. It keeps cookies, follows redirects, and sends forms with their hidden fields.
 */
export type HeadlessBrowser = {
  /**
   * Submits the form of a page. @param fields the values that the person enters, and the pressed button if it has a
   * name
   */
  submit(page: Page, fields?: Readonly<Record<string, string>>): Promise<Page>;
  open(address: string): Promise<Page>;
  /** Goes from the address that a device shows to the sign-in page: sends the code and then confirms it. */
  openSignIn(address: string): Promise<Page>;
};

export function createHeadlessBrowser(): HeadlessBrowser {
  const cookies = new Map<string, string>();
  const go = async (url: URL, body?: URLSearchParams): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(body && { method: "POST", body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) return go(new URL(location, url));
    return { url, status: response.status, html: await response.text() };
  };
  const submit: HeadlessBrowser["submit"] = ({ url, html }, fields = {}) => {
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? url.href;
    const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const form = new URLSearchParams(hidden.map(([, name = "", value = ""]) => [name, value]));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return go(new URL(action, url), form);
  };
  return {
    submit,
    open: (address) => go(new URL(address)),
    openSignIn: async (address) => {
      let page = await go(new URL(address));
      for (let steps = 0; steps < 3 && !page.html.includes('name="password"'); steps += 1) page = await submit(page);
      return page;
    },
  };
}
