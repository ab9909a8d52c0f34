import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { isClosing, isFreeToAnswer, latestAnswer } from "./connections.ts";
import { readWholeRequest, type WholeRequest } from "./whole-request.ts";

/** An answer to a request that was not let in: when it may leave (null: now), and its bytes, all of them ASCII. */
export type EarlyRefusal = { readonly turn: Promise<void> | null; readonly answer: () => string };

/** Says whether a request is refused before anything is made of it. */
export type RefuseWhole = (request: WholeRequest, socket: Socket) => EarlyRefusal | null;

type Leaving = { readonly socket: Socket; readonly refusal: EarlyRefusal };

/**
 * Refusals of one turn of the event loop leave together, at its end or as soon as they are this many. Most of what one costs is the system
 * call, and most of that is to wake whoever reads it, who is awake for those that follow at once.
 */
const togetherMax = 16;
let leaving: Leaving[] = [];
/** Counts how often some have left. A number, so that no connection keeps what has left: idle ones would be full of garbage. */
let departure = 0;

const watched = new WeakSet<Socket>();

/** Do the connection's bytes pass through here on their way to Node's parser? Then it can be handed to no other process. */
export function isWatched(socket: Socket): boolean {
  return watched.has(socket);
}

/**
 * Refuses what comes on a connection from now on before Node's HTTP makes anything of it, which is half of what a refusal costs. It is for
 * connections on which a request has just been refused: likely the next one is, too.
 *
 * Only a chunk that is one whole request (`readWholeRequest`) may be refused here, and only while it is certain that Node's parser stands
 * between two requests and owes no answer: after it was fed such a chunk and made of it, by itself, exactly the request that was read here.
 * Everything else is Node's as before, in the order in which it came.
 */
export function refuseEarly(socket: Socket, refuse: RefuseWhole): void {
  const [listener, ...others] = socket.listeners("data");
  if (listener === undefined || others.length > 0 || watched.has(socket)) return;
  watched.add(socket);
  socket.removeListener("data", listener as (chunk: Buffer) => void);
  let isBetween = false;
  /** The departure with which its last refusal leaves. */
  let mine = -1;

  // From the first listener of its own on, Node gives a server's connection's bytes to its parser only through these listeners.
  socket.on("data", (chunk: Buffer) => {
    // Nothing that comes meanwhile may be answered before it.
    if (mine === departure) letLeave();
    const request = readWholeRequest(chunk);
    const isCertain = request !== null && isBetween && isFreeToAnswer(socket) && socket.writableLength === 0;
    const refusal = isCertain ? refuse(request, socket) : null;
    if (refusal === null) {
      const before = latestAnswer(socket);
      Reflect.apply(listener, socket, [chunk]);
      const latest = latestAnswer(socket);
      isBetween = request !== null && latest !== before && !isClosing(socket) && isSame(request, latest?.req);
    } else if (refusal.turn === null) mine = leaveWithOthers({ socket, refusal });
    else {
      // As above.
      socket.pause();
      void refusal.turn.then(() => {
        give({ socket, refusal });
        socket.resume();
      });
    }
  });
}

/** @returns the departure with which it leaves */
function leaveWithOthers(one: Leaving): number {
  const own = departure;
  const together = leaving.push(one);
  if (together === togetherMax) letLeave();
  else if (together === 1) setImmediate(letLeave);
  return own;
}

function letLeave(): void {
  const all = leaving;
  leaving = [];
  departure += 1;
  for (const one of all) give(one);
}

function give({ socket, refusal }: Leaving): void {
  if (socket.writable) socket.write(refusal.answer(), "latin1");
}

/** Did Node make exactly this request, and read it to its end? */
function isSame(request: WholeRequest, made: IncomingMessage | undefined): boolean {
  return (
    made?.complete === true &&
    made.method === request.method &&
    made.url === request.url &&
    made.rawHeaders.length === request.rawHeaders.length &&
    made.rawHeaders.every((part, index) => part === request.rawHeaders[index])
  );
}
