import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { jsonDepthMax, parseJson, scanJson } from "@platform/gateway/pipeline/parse-json";
import { readBody } from "@platform/gateway/pipeline/read-body";
import express from "express";

// Reads, checks and fingerprints a JSON body as the gateway's pipeline does, or by express.json with the same checks. The rest is alike.
const bodyBytesMax = 1024 * 1024;

const app = express();
app.disable("x-powered-by").disable("etag");

const answer = (response: express.Response, body: unknown): void => {
  response.setHeader("content-type", "application/json");
  response.end(`{"fingerprint":"${hash("sha256", JSON.stringify(body), "hex")}"}`);
};

if (process.env.BODY === "pipeline") {
  app.post("/", async (request, response) => {
    const bytes = await readBody(request, bodyBytesMax);
    answer(response, parseJson(bytes, request.headers["content-type"]).value);
  });
} else {
  const verify = (_request: unknown, _response: unknown, bytes: Buffer): void => {
    if (!isUtf8(bytes) || scanJson(bytes).depth > jsonDepthMax) throw new Error("malformed");
  };
  app.use(express.json({ limit: bodyBytesMax, verify }));
  app.post("/", (request, response) => answer(response, request.body));
}

const server = app.listen(0, "127.0.0.1", () => {
  console.log(`LISTENING ${(server.address() as AddressInfo).port}`);
});
