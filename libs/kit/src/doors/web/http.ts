/** Serving HTTP. */
export { keepAliveTimeoutMs } from "../../process/http-limits.ts";
export { acceptedLanguage, acceptedLanguages } from "../../web/accept-language.ts";
export { freeChunk, sendBytes } from "../../web/bulk-bytes.ts";
export { type ClientAddress, createClientAddress } from "../../web/client-address.ts";
export { type Cookies, createCookies } from "../../web/cookies.ts";
export { type HtmlValue, html, SafeHtml } from "../../web/html.ts";
export { MutualTlsAgent } from "../../web/mutual-tls.ts";
export { readBounded } from "../../web/read-bounded.ts";
export { errorHeader, sendServiceError } from "../../web/send-error.ts";
export { type HttpServer, serveHttp } from "../../web/serve-http.ts";
export { createSourceLimit } from "../../web/source-limit.ts";
export { sourceNetwork } from "../../web/source-network.ts";
