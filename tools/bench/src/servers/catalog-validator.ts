import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ValidateNotificationCatalogBody } from "@platform/contracts/operations/notify-schemas";

// JSON.parse and the contract's own schema, on a bare server.
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const { success } = ValidateNotificationCatalogBody.safeParse(body);
    const answer = JSON.stringify({ success });
    response.writeHead(success ? 200 : 422, { "content-length": answer.length }).end(answer);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${(server.address() as AddressInfo).port}`));
