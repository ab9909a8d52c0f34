/** Serving HTTP. */
export { acceptedLanguage, acceptedLanguages } from "../../web/accept-language.ts";
export { freeChunk, sendBytes } from "../../web/bulk-bytes.ts";
export { type HtmlValue, html, SafeHtml } from "../../web/html.ts";
export { MutualTlsAgent } from "../../web/mutual-tls.ts";
export { readBounded } from "../../web/read-bounded.ts";
export { readCookie } from "../../web/read-cookie.ts";
export { errorHeader, sendServiceError } from "../../web/send-error.ts";
export { type HttpServer, keepAliveTimeoutMs, serveHttp } from "../../web/serve-http.ts";
export { sourceNetwork } from "../../web/source-network.ts";
