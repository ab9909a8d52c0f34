const escapes = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
};
const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
/**
 * The form for a hosted continuation. Send the page that contains it with `Cache-Control: no-store`: the token must not
 * end up in any URL, log, cache or third party.
 */
export function hostedContinuationForm(baseUrl, continuation, button = "Continue") {
    const action = `${baseUrl.replace(/\/+$/, "")}/api/v1/identity-migration/continue`;
    const fields = { continuation_id: continuation.id, continuation_token: continuation.continuation_token };
    const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`);
    const html = `<form method="post" action="${escapeHtml(action)}">${inputs.join("")}<button>${escapeHtml(button)}</button></form>`;
    return { action, fields, html };
}
