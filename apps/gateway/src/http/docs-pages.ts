import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import express, { type Router } from "express";
import helmet from "helmet";
// The package's entry point would run the whole browser bundle; only the path of its folder is wanted.
import swaggerUiDirectory from "swagger-ui-dist/absolute-path.js";

const openapiPath = fileURLToPath(new URL("../../openapi.json", import.meta.url));

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Project Integration Service: API reference</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<main id="reference"></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const startScript = `SwaggerUIBundle({ url: "/api/v1/openapi.json", dom_id: "#reference", deepLinking: true, docExpansion: "list" });\n`;

/** The reference page at /docs and the OpenAPI document, all from our own origin. */
export function docsPages(): Router {
  const openapi = readFileSync(openapiPath);
  const router = express.Router();
  router.use(
    "/docs",
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        // The reference page's library writes inline styles; scripts come from our own files only.
        directives: {
          defaultSrc: ["'self'"],
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", "data:"],
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
        },
      },
    }),
  );
  router.get("/", (_request, response) => response.redirect(302, "/docs"));
  router.get("/docs", (_request, response) => response.type("html").send(page));
  router.get("/docs/start.js", (_request, response) => response.type("text/javascript").send(startScript));
  router.use("/docs/assets", express.static(swaggerUiDirectory(), { index: false, immutable: true, maxAge: "1h" }));
  router.get("/api/v1/openapi.json", (_request, response) => response.type("application/json").send(openapi));
  return router;
}
