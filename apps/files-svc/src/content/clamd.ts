import { createReadStream } from "node:fs";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** The verdict of clamd about a file. */
export type ScanVerdict = { readonly isInfected: boolean; readonly signature: string | null };

/** Scans files for malware. */
export type MalwareScanner = {
  /** Scans a file. Rejects if the scanner cannot be reached or could not scan the whole file. */
  scanFile(path: string, signal: AbortSignal): Promise<ScanVerdict>;
  /** The name and version of the scanner and of its signature database. Rejects if the scanner cannot be reached. */
  version(): Promise<string>;
};

const chunkBytes = 256 * 1024;
const replyBytesMax = 4096;
const versionMs = 700;
/**
 * Maximum duration of a scan, in milliseconds. clamd itself ends a scan after two minutes (`MaxScanTime`), but may be
 * busy with other files before.
 */
const scanMs = 300_000;
/** During a scan, clamd is pinged on another connection. Two pings without a response end the scan within ten seconds. */
const askMs = 3_000;
const missedMax = 2;

/**
 * A client of clamd (clamd(8), INSTREAM and VERSION with null-terminated framing).
 * @param url tcp://host:port or unix:/path
 * @param askEveryMs interval of the pings during a scan, and time that clamd has to respond to one
 */
export function createClamdScanner(url: string, askEveryMs: number = askMs): MalwareScanner {
  const askVersion = async (ms: number): Promise<string> => {
    const socket = await openSocket(url, AbortSignal.timeout(ms));
    try {
      const reply = readReply(socket);
      socket.write("zVERSION\0");
      return await reply;
    } finally {
      socket.destroy();
    }
  };
  return {
    scanFile: async (path, signal) => {
      using watch = watchSilence(() => askVersion(askEveryMs), askEveryMs);
      const socket = await openSocket(url, AbortSignal.any([signal, watch.silent, AbortSignal.timeout(scanMs)]));
      try {
        const reply = readReply(socket);
        // clamd may respond and close the connection before everything was sent. Then its response counts, and the
        // broken pipe is ignored.
        const sent = pipeline(frames(createReadStream(path, { highWaterMark: chunkBytes })), socket, {
          end: false,
        }).catch((error: unknown) => reply.catch(() => Promise.reject(error)));
        const [text] = await Promise.all([reply, sent]);
        return readVerdict(text);
      } finally {
        socket.destroy();
      }
    },
    version: () => askVersion(versionMs),
  };
}

/** Pings clamd repeatedly. `silent` aborts if clamd does not respond. */
function watchSilence(ask: () => Promise<unknown>, everyMs: number): Disposable & { readonly silent: AbortSignal } {
  const silence = new AbortController();
  let missed = 0;
  let isAsking = false;
  const question = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    missed = await ask().then(
      () => 0,
      () => missed + 1,
    );
    isAsking = false;
    if (missed >= missedMax) silence.abort(new Error("clamd does not respond"));
  };
  const timer = setInterval(() => void question(), everyMs);
  return { silent: silence.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

function openSocket(url: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const socket =
      target.protocol === "unix:"
        ? connect({ path: target.pathname, signal })
        : connect({ host: target.hostname, port: Number(target.port), signal });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      // Readers and writers receive later errors themselves. Without a listener, an error would end the process.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/** Frames a stream for INSTREAM: each chunk follows its length, and a zero length ends the stream. */
async function* frames(bytes: Readable): AsyncIterable<Buffer> {
  yield Buffer.from("zINSTREAM\0");
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(chunk.byteLength);
    yield length;
    yield chunk;
  }
  yield Buffer.alloc(4);
}

function readReply(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const end = text.indexOf("\0");
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > replyBytesMax) reject(new Error("clamd's reply is too long"));
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("clamd hung up without a reply")));
  });
}

/**
 * Reads clamd's reply. "Heuristics.Limits.Exceeded" is not a finding: it means that part of the file was not scanned.
 * @throws Error if the reply is not a verdict
 */
export function readVerdict(reply: string): ScanVerdict {
  if (/^stream: OK$/.test(reply)) return { isInfected: false, signature: null };
  const found = /^stream: (.+) FOUND$/.exec(reply)?.[1];
  if (found === undefined || found.startsWith("Heuristics.Limits.Exceeded"))
    throw new Error(`clamd gave no verdict: ${reply}`);
  return { isInfected: true, signature: found };
}
