// What most would start from: Express with express.json, answering a POST with its body. No hop, no checks.
import express from "express";

const app = express();
app.disable("x-powered-by").disable("etag");
app.use(express.json());
app.post("/", (request, response) => response.json(request.body));
app.get("/", (_request, response) => response.json({ data: { id: "a", name: "bench", environment: "production" } }));
const server = app.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
