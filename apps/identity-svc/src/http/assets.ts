import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Request, type Response, Router } from "express";
import { pathParameter } from "./inputs.ts";
import { pageAddress } from "./page-address.ts";

const types = {
  "kit.css": "text/css; charset=utf-8",
  "style.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;
/**
 * Cache-Control for the files below. They may be cached forever, because each address contains a hash of the content.
 */
const forever = "public, max-age=31536000, immutable";

type AssetName = keyof typeof types;

const assets = new Map(
  (Object.keys(types) as AssetName[]).map((name) => {
    const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
    const version = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    return [name, { bytes, version }];
  }),
);

/** The address of a file that the pages use. It contains a hash of the content, so the file may be cached forever. */
export function assetAddress(name: AssetName): string {
  return pageAddress(`assets/${assets.get(name)?.version}/${name}`);
}

/** The address of a sheet with a brand's colour. It is a file, because the content security policy allows no style in a page. */
export function colourAddress(colour: string): string {
  return pageAddress(`assets/colour/${colour.slice(1)}.css`);
}

/** Serves the files of the pages below `assets/`. */
export function assetRoutes(): Router {
  const router = Router();
  router.get("/colour/:name", (request: Request, response: Response, next) => {
    const [, colour] = /^([0-9a-f]{6})\.css$/.exec(pathParameter(request, "name")) ?? [];
    if (colour === undefined) return next();
    response.set({ "content-type": types["style.css"], "cache-control": forever });
    response.send(`:root { --brand: #${colour}; }\n`);
  });
  router.get("/:version/:name", (request: Request, response: Response, next) => {
    const name = pathParameter(request, "name") as AssetName;
    const asset = assets.get(name);
    if (asset === undefined || asset.version !== pathParameter(request, "version")) return next();
    response.set({
      "content-type": types[name],
      "cache-control": forever,
    });
    response.send(asset.bytes);
  });
  return router;
}
