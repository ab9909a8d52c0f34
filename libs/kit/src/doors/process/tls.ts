/** Certificates and keys, read from files. */
export { tlsFiles } from "../../process/tls-files.ts";
