import { noAuth, type OperationFamily } from "../operation.ts";

/** Pages and bytes behind links that the platform creates. The owning service validates the path and the body. */
const behindLinks = {
  transport: "proxy",
  published: false,
  auth: noAuth,
  correlationIdDeclared: false,
  idempotency: null,
  quota: null,
  params: null,
  body: null,
  status: 200,
  response: null,
  errors: [],
  served: true,
} as const;

/** Pages of any origin may read bytes in ranges and see which range they received. */
const bytesForPages = {
  sent: ["Range", "If-Range", "If-None-Match", "If-Modified-Since"],
  read: ["Accept-Ranges", "Content-Disposition", "Content-Length", "Content-Range", "ETag"],
} as const;

export const pageOperations = {
  "identity.showHostedPage": {
    ...behindLinks,
    method: "GET",
    path: "/identity-migration/{page+}",
    summary: "Show a hosted page of an identity migration",
    upstream: "identity",
  },
  "identity.submitHostedPage": {
    ...behindLinks,
    method: "POST",
    path: "/identity-migration/{page+}",
    summary: "Submit a form of a hosted page",
    upstream: "identity",
  },
  "files.download": {
    ...behindLinks,
    method: "GET",
    path: "/file-downloads/{file+}",
    cors: bytesForPages,
    summary: "Download a File Object by its download_url",
    upstream: "files",
  },
  "files.publicAsset": {
    ...behindLinks,
    method: "GET",
    path: "/public-assets/{asset+}",
    cors: bytesForPages,
    summary: "Read a Public Asset by its url",
    upstream: "files",
  },
  "notify.showUnsubscribePage": {
    ...behindLinks,
    method: "GET",
    path: "/unsubscribe/{page+}",
    summary: "Show the page of an unsubscribe link",
    upstream: "notify",
  },
  "notify.unsubscribe": {
    ...behindLinks,
    method: "POST",
    path: "/unsubscribe/{page+}",
    summary: "Unsubscribe, from the page or by one click (RFC 8058)",
    upstream: "notify",
  },
} as const satisfies OperationFamily;
