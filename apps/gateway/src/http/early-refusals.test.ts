import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noteAnswer } from "./connections.ts";
import { type EarlyRefusal, refuseEarly } from "./early-refusals.ts";
import type { WholeRequest } from "./whole-request.ts";

const early = (to: string): string =>
  `HTTP/1.1 503 Service Unavailable\r\ncontent-length: ${to.length + 6}\r\n\r\nearly ${to}`;

/** What Node made of what came, what was asked here, and what is done with either. */
let byNode: string[];
let asked: string[];
let isRefusing: boolean;
let turn: Promise<void> | null;
let onRequest: (request: IncomingMessage, response: ServerResponse) => void;
let close: () => void;
/** The server's ends of the connections. */
let served: Socket[];
let port: number;
let client: Socket;
let received: string;

const refuse = ({ method, url }: WholeRequest): EarlyRefusal | null => {
  asked.push(`${method} ${url}`);
  return isRefusing ? { turn, answer: () => early(`${method} ${url}`) } : null;
};
const answerAt = (response: ServerResponse): void => void response.writeHead(200, { "content-length": 4 }).end("node");

beforeEach(async () => {
  byNode = [];
  asked = [];
  isRefusing = true;
  turn = null;
  received = "";
  served = [];
  onRequest = (request, response) => void request.once("end", () => answerAt(response));
  const server = createServer((request, response) => {
    noteAnswer(response);
    byNode.push(`${request.method} ${request.url}`);
    request.resume();
    onRequest(request, response);
    refuseEarly(request.socket, refuse);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.on("connection", (socket) => served.push(socket));
  port = (server.address() as AddressInfo).port;
  client = connect({ port, host: "127.0.0.1", noDelay: true });
  client
    .on("error", () => {})
    .on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
  close = () => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  };
});
afterEach(() => close());

const post = (url: string, body = ""): string =>
  `POST ${url} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
/** Sends a piece, and waits until so many answers have come. */
async function send(piece: string, answers: number): Promise<void> {
  client.write(piece, "latin1");
  await expect.poll(() => answersOf(received).length).toBe(answers);
}
const answersOf = (text: string): string[] => [...text.matchAll(/\r\n\r\n(early|node)/g)].map(([, body]) => body ?? "");
/** Two requests of Node's own: the first makes the connection watched, the second proves where its parser stands. */
async function settle(): Promise<void> {
  await send(post("/first"), 1);
  await send(post("/second"), 2);
  expect(asked).toEqual([]);
}

test("what is refused never becomes a request of Node, what is let in does, on one connection in any order", async () => {
  await settle();
  await send(post("/refused", "body"), 3);
  isRefusing = false;
  await send(post("/let-in", "body"), 4);
  await send(post("/let-in-again"), 5);
  isRefusing = true;
  await send(post("/refused-again"), 6);
  expect(byNode).toEqual(["POST /first", "POST /second", "POST /let-in", "POST /let-in-again"]);
  expect(answersOf(received)).toEqual(["node", "node", "early", "node", "node", "early"]);
});

test("request smuggling: the rest of a body that looks like a request is the rest of a body", async () => {
  await settle();
  const inner = post("/smuggled", "x");
  client.write(`POST /outer HTTP/1.1\r\nhost: x\r\ncontent-length: ${inner.length}\r\n\r\n`);
  await expect.poll(() => byNode.at(-1)).toBe("POST /outer");
  await send(inner, 3);
  // Where the parser stands has to be proven anew.
  await send(post("/proof"), 4);
  await send(post("/refused"), 5);
  expect(asked).toEqual(["POST /refused"]);
  expect(answersOf(received)).toEqual(["node", "node", "node", "node", "early"]);
});

test("request smuggling: the rest of a body and the beginning of the next head, shaped like one request, prove nothing", async () => {
  await settle();
  const smuggled = post("/smuggled");
  const tail = `POST /tail HTTP/1.1\r\nhost: x\r\ncontent-length: ${smuggled.length}\r\n\r\n`;
  // Read alone it is one whole request, whose body is another and the beginning of a third.
  const inner = post("/same") + tail;
  const chunk = post("/same", inner);
  const headOfChunk = chunk.length - inner.length;
  client.write(`POST /outer HTTP/1.1\r\nhost: x\r\ncontent-length: ${headOfChunk}\r\n\r\n`);
  await expect.poll(() => byNode.at(-1)).toBe("POST /outer");
  await send(chunk, 4);
  expect(byNode.slice(-3)).toEqual(["POST /outer", "POST /same", "POST /tail"]);
  // The third one's body is still to come, whatever it looks like.
  await send(smuggled, 5);
  expect(asked).toEqual([]);
  expect(byNode.at(-1)).toBe("POST /tail");
});

test("request smuggling: a request whose head began in an earlier piece is Node's", async () => {
  await settle();
  client.write("POST /begun HTTP/1.1\r\nhost: x\r\nx-note: ");
  client.write(post("/smuggled"));
  await expect.poll(() => byNode.includes("POST /begun")).toBe(true);
  expect(asked).toEqual([]);
});

test("two requests in one piece are both Node's", async () => {
  await settle();
  await send(post("/one") + post("/two"), 4);
  expect(byNode.slice(2)).toEqual(["POST /one", "POST /two"]);
  expect(asked).toEqual([]);
});

test("nothing is refused while an answer is owed, so that it cannot be taken for that answer", async () => {
  await settle();
  isRefusing = false;
  let owed: ServerResponse | null = null;
  onRequest = (request, response) => {
    if (request.url === "/slow") owed = response;
    else request.once("end", () => answerAt(response));
  };
  client.write(post("/slow"));
  await expect.poll(() => owed).not.toBeNull();
  isRefusing = true;
  client.write(post("/behind"));
  await expect.poll(() => byNode.at(-1)).toBe("POST /behind");
  expect(received).not.toContain("early");
  answerAt(owed as unknown as ServerResponse);
  await expect.poll(() => answersOf(received)).toEqual(["node", "node", "node", "node"]);
  expect(asked).toEqual(["POST /slow"]);
});

/** Sends a request whose refusal leaves only when what this gives is called. */
async function refuseLater(): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  turn = promise;
  client.write(post("/refused"));
  await expect.poll(() => asked).toEqual(["POST /refused"]);
  return resolve;
}

test("what comes before a refusal has left waits behind it", async () => {
  await settle();
  const leave = await refuseLater();
  isRefusing = false;
  client.write(post("/behind"));
  leave();
  await expect.poll(() => answersOf(received)).toEqual(["node", "node", "early", "node"]);
  expect(byNode.at(-1)).toBe("POST /behind");
});

test("what comes while refusals of a turn are gathered is answered behind its own", async () => {
  await settle();
  const watched = served[0] as Socket;
  // Both in one turn of the event loop, which the network does not promise.
  watched.emit("data", Buffer.from(post("/refused")));
  isRefusing = false;
  watched.emit("data", Buffer.from(post("/behind")));
  await expect.poll(() => answersOf(received)).toEqual(["node", "node", "early", "node"]);
});

test("refusals of many connections that leave together reach each its own", async () => {
  await settle();
  const others = Array.from({ length: 40 }, () => ({ socket: connect({ port, host: "127.0.0.1" }), text: "" }));
  for (const other of others) {
    other.socket.on("data", (chunk) => {
      other.text += chunk.toString("latin1");
    });
  }
  for (const answers of [1, 2]) {
    for (const { socket } of others) socket.write(post("/own"));
    await expect.poll(() => others.every(({ text }) => answersOf(text).length === answers)).toBe(true);
  }
  // All in one turn of the event loop.
  for (const socket of served.slice(1)) socket.emit("data", Buffer.from(post(`/of-${socket.remotePort}`)));
  await expect.poll(() => others.every(({ text }) => answersOf(text).length === 3)).toBe(true);
  for (const { socket, text } of others) {
    expect(text.endsWith(`\r\n\r\nearly POST /of-${socket.localPort}`)).toBe(true);
    socket.destroy();
  }
});

test("a caller that goes away before its refusal leaves gets none, and harms nobody", async () => {
  await settle();
  const leave = await refuseLater();
  client.resetAndDestroy();
  await once(client, "close");
  leave();
  await turn;
  expect(answersOf(received)).toEqual(["node", "node"]);
});
