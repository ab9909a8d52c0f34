/** Renders a page in the provider's plain style. `body` is HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem}label{display:block;margin:1rem 0}
input{display:block;width:100%;box-sizing:border-box;padding:.5rem;font:inherit}button{padding:.5rem 1rem;font:inherit}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;
}

/** Renders the sign-in form. @param isRefused true if the previous attempt was rejected */
export function signInPage(action: string, isRefused: boolean): string {
  const refusal = isRefused ? '<p role="alert">The name or the password is wrong.</p>' : "";
  return page(
    "Sign in",
    `${refusal}<form method="post" action="${escapeHtml(action)}">
<label>Name <input name="username" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button></form><p>The people of a local stack are viewer, support, operator, security and root, and the demo project's owner and developer; their passwords are in operators.env.</p>`,
  );
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
