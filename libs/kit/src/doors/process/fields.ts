/** Objects without undefined fields. What other packages may import; a module without a line here is the package's own. */
export { defined } from "../../process/defined.ts";
