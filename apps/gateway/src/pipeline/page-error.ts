import type { IncomingMessage } from "node:http";
import { acceptedLanguage } from "@platform/kit/web/http";
import type { Answer } from "./exchange.ts";

/** Returns whether the client accepts HTML pages. */
export function wantsPage(request: IncomingMessage): boolean {
  return (request.headers.accept ?? "").includes("text/html");
}

const texts = {
  en: {
    title: "This page cannot be shown",
    retry: "Something on our side is not working right now. Please try again in a moment.",
    final:
      "The link is wrong, was used already, or is no longer valid. Go back to the page or email that it came from, and request a new one.",
    reference: "Reference for support:",
  },
  ja: {
    title: "ページを表示できません",
    retry: "ただいまご利用いただけません。しばらくしてからもう一度お試しください。",
    final:
      "リンクが正しくないか、すでに使用されたか、有効期限が切れています。元のページまたはメールに戻り、新しいリンクを請求してください。",
    reference: "お問い合わせ番号:",
  },
} as const;

const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";
const style =
  "body{font:1.0625rem/1.6 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.5rem;color:#1c2330;background:#fff}" +
  "h1{font-size:1.5rem}code{font-size:.875rem;color:#4a5568}";

/**
 * Renders the gateway's error as a page for browsers, with the same status and headers. It contains the correlation id,
 * which people can quote, but no internal details. It is in the reader's language if that is supported.
 */
export function pageErrorAnswer(
  answer: Answer & { kind: "body" },
  correlationId: string,
  request: IncomingMessage,
): Answer & { kind: "body" } {
  const language = acceptedLanguage(request.headers["accept-language"], ["en", "ja"]);
  const text = texts[language];
  const body = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text.title}</title><style>${style}</style></head>
<body><main><h1>${text.title}</h1><p>${answer.status >= 500 ? text.retry : text.final}</p>
<p>${text.reference} <code>${correlationId}</code></p></main></body></html>
`;
  const headers = {
    ...answer.headers,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy,
    "referrer-policy": "no-referrer",
  };
  return { kind: "body", status: answer.status, headers, body };
}
