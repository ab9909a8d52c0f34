/** Objects without null and undefined fields. */
export { defined } from "../../process/defined.ts";
