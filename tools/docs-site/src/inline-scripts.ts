import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { siteFolder } from "./site-folders.ts";

const inlineScript = /<script((?![^>]*\ssrc=)[^>]*)>([^<]+)<\/script>/g;

/** Replaces the inline scripts of a built page by files, so that the policy of the site can forbid inline scripts. */
export function separateScripts(html: string): string {
  return html.replace(inlineScript, (_script, attributes: string, code: string) => {
    const name = `inline.${hash("sha256", code).slice(0, 8)}.js`;
    mkdirSync(join(siteFolder, "assets"), { recursive: true });
    writeFileSync(join(siteFolder, "assets", name), code);
    return `<script${attributes} src="/docs/assets/${name}"></script>`;
  });
}
