import { fileURLToPath } from "node:url";

/** Where compiled sources are kept between starts, which halves the time to readiness. */
export const compileCache = fileURLToPath(new URL("../../../node_modules/.cache/compile", import.meta.url));
