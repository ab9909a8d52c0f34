import { fileURLToPath } from "node:url";

/** Folder in which compiled sources are kept between starts, which halves the time until the stack is ready. */
export const compileCache = fileURLToPath(new URL("../../../node_modules/.cache/compile", import.meta.url));
