// Express with express.json and one unary call by grpc-js to BACKEND (host:port), which returns what it received. It
// checks nothing.
import { Client, credentials } from "@grpc/grpc-js";
import express from "express";

const same = (bytes) => bytes;
const client = new Client(process.env.BACKEND, credentials.createInsecure(), { "grpc.enable_retries": 0 });
const app = express();
app.disable("x-powered-by").disable("etag");
app.use(express.json());
app.all("/", (request, response) => {
  const bytes = Buffer.from(JSON.stringify(request.body ?? {}));
  client.makeUnaryRequest("/bench.Echo/Call", same, same, bytes, { deadline: Date.now() + 5_000 }, (error, reply) => {
    if (error) response.status(500).json({ error: error.message });
    else response.json(JSON.parse(reply.toString()));
  });
});
const server = app.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
