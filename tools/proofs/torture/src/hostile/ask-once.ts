import { Agent, request } from "undici";

const agent = new Agent({ connections: 256, headersTimeout: 30_000, bodyTimeout: 30_000 });

type Asked = {
  readonly signal: AbortSignal;
  readonly method?: "GET" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

/** Sends one request, reads its whole response and returns its status. Redirects are not followed. */
export async function ask(url: string, { signal, method = "GET", headers = {}, body }: Asked): Promise<number> {
  const response = await request(url, {
    dispatcher: agent,
    signal,
    method,
    headers: { ...headers },
    body: body ?? null,
  });
  await response.body.dump();
  return response.statusCode;
}

/** Closes the connections of all callers. */
export const closeConnections = (): Promise<void> => agent.destroy();
