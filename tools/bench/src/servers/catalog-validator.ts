import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ValidateNotificationCatalogBody } from "@platform/contracts/operations/notify-schemas";

// JSON.parse and the contract's own zod schema on a bare server: the least a validation can cost.
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { success } = ValidateNotificationCatalogBody.safeParse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    const body = JSON.stringify({ success });
    response.writeHead(success ? 200 : 422, { "content-length": body.length }).end(body);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${(server.address() as AddressInfo).port}`));
