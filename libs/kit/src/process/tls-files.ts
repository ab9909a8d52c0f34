/**
 * Turns the TLS variables into the setting of `serveGrpc` and `connectGrpc`: the files; null, which allows plain text
 * on loopback only; or `plaintext` if the operator allows it everywhere. Throws if only some of the files are set.
 */
export function tlsFiles(env: {
  GRPC_PLAINTEXT_BEYOND_LOOPBACK?: string | undefined;
  GRPC_TLS_CA?: string | undefined;
  GRPC_TLS_CERT?: string | undefined;
  GRPC_TLS_KEY?: string | undefined;
}) {
  const { GRPC_TLS_CA: caPath, GRPC_TLS_CERT: certPath, GRPC_TLS_KEY: keyPath } = env;
  if (caPath === undefined && certPath === undefined && keyPath === undefined) {
    return env.GRPC_PLAINTEXT_BEYOND_LOOPBACK === "allow" ? ("plaintext" as const) : null;
  }
  if (caPath === undefined || certPath === undefined || keyPath === undefined) {
    throw new Error("bad configuration\n  GRPC_TLS_CA, GRPC_TLS_CERT and GRPC_TLS_KEY: set all three or none");
  }
  return { caPath, certPath, keyPath };
}
