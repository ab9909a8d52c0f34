/** Certificates and keys, read from files. What other packages may import; a module without a line here is the package's own. */
export { tlsFiles } from "../../process/tls-files.ts";
