// A minimal Express server: express.json parses a POST and the response repeats its body. It calls no other service and
// checks nothing.
import express from "express";

const app = express();
app.disable("x-powered-by").disable("etag");
app.use(express.json());
app.post("/", (request, response) => response.json(request.body));
app.get("/", (_request, response) => response.json({ data: { id: "a", name: "bench", environment: "production" } }));
const server = app.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
