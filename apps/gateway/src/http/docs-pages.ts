import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import express, { type RequestHandler, type Router } from "express";
import helmet from "helmet";
// Only the package's folder is imported, because its entry point would run the browser bundle.
import swaggerUiDirectory from "swagger-ui-dist/absolute-path.js";
import type { FairLimiter } from "../admission-control/fair-limiter.ts";
import { processFull } from "../pipeline/errors.ts";

const openapiPath = fileURLToPath(new URL("../../openapi.json", import.meta.url));

/**
 * Folder into which `npm run docs` builds the documentation site. The gateway's image contains it; in a checkout it
 * exists after the first build.
 */
const builtSite = fileURLToPath(new URL("../../site", import.meta.url));

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Project Integration Service: API reference</title>
<link rel="stylesheet" href="/docs/reference/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<main id="reference"></main>
<script src="/docs/reference/swagger-ui-bundle.js"></script>
<script src="/docs/reference/start.js"></script>
</body>
</html>
`;

/**
 * The library's files that the page loads. They are kept in memory, so that no request waits for the disk or can read
 * another file of the package.
 */
const assetTypes = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

/** The library is dark only where the page's root has its class, so the script follows the browser's setting. */
const startScript = `const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({ url: "/api/v1/openapi.json", dom_id: "#reference", deepLinking: true, docExpansion: "list" });
`;

/** Cache policy for files that never change, because their names contain a hash of their content. */
const immutable = "public, max-age=31536000, immutable";

export type DocsPagesOptions = {
  /** Admits every request for a document, for the caller that `callerOf` returns. */
  readonly limiter: FairLimiter;
  readonly callerOf: (request: express.Request) => string;
  /** Folder of the built documentation site. Until it exists, /docs redirects to the API reference. */
  readonly site?: string;
};

/**
 * Serves the documentation site at /docs, the API reference at /docs/reference, and the OpenAPI document. All files
 * come from the platform's own origin.
 */
export function docsPages({ limiter, callerOf, site = builtSite }: DocsPagesOptions): Router {
  const openapi = readFileSync(openapiPath);
  const router = express.Router({ caseSensitive: true });
  const limit: RequestHandler = async (request, response, next) => {
    const left = new AbortController();
    response.once("close", () => left.abort());
    const release = await limiter.enter(callerOf(request), 1, () => left.signal);
    if (release === null) return next(processFull());
    if (left.signal.aborted) return release();
    response.once("close", release);
    next();
  };
  /** Sends bytes from memory, or 304 to a client that already has them. */
  const sends = (
    type: string,
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): RequestHandler => {
    const etag = `"${hash("sha256", body, "base64url")}"`;
    const length = Buffer.byteLength(body);
    return (request, response) => {
      const known = request.headers["if-none-match"] ?? "";
      if (known === "*" || known.split(",").some((one) => one.trim().replace(/^W\//, "") === etag)) {
        response.writeHead(304, { ...headers, etag }).end();
        return;
      }
      response.writeHead(200, { ...headers, etag, "content-type": type, "content-length": length }).end(body);
    };
  };
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      // The generator of the site and the library of the reference both write inline styles. Scripts are allowed only
      // from the platform's own files.
      directives: {
        defaultSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:"],
        objectSrc: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
  });
  router.get("/", (_request, response) => void response.writeHead(302, { location: "/docs" }).end());
  // This is a short address that people can type. identity-svc serves the page itself.
  router.get("/account", (_request, response) => {
    response.writeHead(302, { location: "/api/v1/identity-migration/account" }).end();
  });
  router.use("/docs", limit, headers);
  router.get("/docs/reference", sends("text/html; charset=utf-8", page));
  router.get("/docs/reference/start.js", sends("text/javascript; charset=utf-8", startScript));
  for (const [name, type] of Object.entries(assetTypes)) {
    const cached = { "cache-control": "public, max-age=3600, immutable" };
    router.get(`/docs/reference/${name}`, sends(type, readFileSync(`${swaggerUiDirectory()}/${name}`), cached));
  }
  const assets = join(site, "assets/");
  router.use(
    "/docs",
    express.static(site, {
      extensions: ["html"],
      setHeaders: (response, path) => {
        if (path.startsWith(assets)) response.setHeader("cache-control", immutable);
      },
    }),
  );
  router.get("/docs", (_request, response) => void response.writeHead(302, { location: "/docs/reference" }).end());
  router.get("/api/v1/openapi.json", limit, sends("application/json; charset=utf-8", openapi));
  return router;
}
