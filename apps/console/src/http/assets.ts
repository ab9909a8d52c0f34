import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Request, type Response, Router } from "express";

const types = {
  "console.css": "text/css; charset=utf-8",
  "kit.css": "text/css; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "icons.svg": "image/svg+xml",
} as const;
type AssetName = keyof typeof types;

const assets = new Map(
  (Object.keys(types) as AssetName[]).map((name) => {
    const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
    const version = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    return [name, { bytes, version }];
  }),
);

/**
 * Returns the address of a file that pages use. The address contains a hash of the content, so the file may be cached
 * forever.
 */
export function assetAddress(name: AssetName): string {
  return `/assets/${assets.get(name)?.version}/${name}`;
}

/** Serves these files below `/assets`. */
export function assetRoutes(): Router {
  const router = Router();
  router.get("/:version/:name", (request: Request, response: Response, next) => {
    const name = request.params.name as AssetName;
    const asset = assets.get(name);
    if (asset === undefined || asset.version !== request.params.version) return next();
    response.set({ "content-type": types[name], "cache-control": "public, max-age=31536000, immutable" });
    response.send(asset.bytes);
  });
  return router;
}
