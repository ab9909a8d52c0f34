import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { freePort } from "@platform/test-kit/free-port";
import { exportJWK, type JWTPayload, SignJWT } from "jose";

/** An identity provider that signs any ID token that a test requests. */
export async function startSigningProvider() {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "p", alg: "ES256" }] };
  const server = createServer((request, response) => {
    const answers: Record<string, unknown> = {
      "/.well-known/openid-configuration": { issuer, jwks_uri: `${issuer}/jwks` },
      "/jwks": jwks,
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers[request.url ?? ""]));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  let serial = 0;
  return {
    issuer,
    /** Signs an ID token that is issued now. Each has a different `jti`. */
    idToken: (now: Date, claims: JWTPayload): Promise<string> => {
      serial += 1;
      const seconds = Math.floor(now.getTime() / 1000);
      const base = { iss: issuer, aud: "platformctl", jti: `${serial}`, iat: seconds, exp: seconds + 600 };
      return new SignJWT({ ...base, ...claims }).setProtectedHeader({ alg: "ES256", kid: "p" }).sign(privateKey);
    },
    close: (): void => void server.close(),
  };
}
