import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call that reached a target. */
export type Arrival = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** An endpoint of a Project Backend that records calls and sends the configured responses. */
export async function startTarget() {
  const arrivals: Arrival[] = [];
  let answer: (arrival: Arrival, response: ServerResponse) => void = (_, response) => void response.end("ok");
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const arrival = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) };
      arrivals.push(arrival);
      answer(arrival, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    arrivals,
    arrivalsAt: (path: string) => arrivals.filter((arrival) => arrival.path === path),
    /** Sets the response for later calls. */
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    /** Sets the responses for the next calls to each path. The last one is repeated. */
    answerSequence: (
      path: string,
      ...answers: { status: number; headers?: Record<string, string>; body?: string }[]
    ) => {
      let next = 0;
      answer = (arrival, response) => {
        if (arrival.path !== path) return void response.end("ok");
        const { status, headers, body } = answers[Math.min(next++, answers.length - 1)] ?? { status: 200 };
        response.writeHead(status, headers).end(body);
      };
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type Target = Awaited<ReturnType<typeof startTarget>>;
