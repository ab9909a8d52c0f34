import { Double, Int32 } from "bson";
import type { CursorReply, Engine } from "../engine.ts";
import { asCommandError, CommandError } from "../errors.ts";
import type { Doc } from "../values.ts";
import { aggregate } from "./aggregate.ts";
import { acknowledge, buildInfo, hello, serverStatus } from "./diagnostics.ts";
import { count, distinct, explain, find, getMore, killCursors } from "./queries.ts";
import {
  collStats,
  create,
  createIndexes,
  dbStats,
  drop,
  dropDatabase,
  dropIndexes,
  listCollections,
  listDatabases,
  listIndexes,
} from "./schema.ts";
import { findAndModify, insert, remove, update } from "./writes.ts";

type Reply = Doc | CursorReply;
type Handler = (engine: Engine, database: string, command: Doc) => Reply | Promise<Reply>;

const reads: Record<string, Handler> = {
  hello,
  isMaster: hello,
  ismaster: hello,
  ping: acknowledge,
  buildInfo,
  buildinfo: buildInfo,
  serverStatus,
  endSessions: acknowledge,
  find,
  getMore,
  killCursors,
  count,
  distinct,
  explain,
  aggregate,
  listIndexes,
  listCollections,
  listDatabases,
  collStats,
  dbStats,
};

const writes: Record<string, Handler> = {
  insert,
  update,
  delete: remove,
  findAndModify,
  findandmodify: findAndModify,
  createIndexes,
  dropIndexes,
  create,
  drop,
  dropDatabase,
};

export type Outcome = { reply: Reply | Promise<Reply>; isWrite: boolean };

/**
 * Runs one command to its end, unless it is a long bulk or scan, whose reply is a promise. A failure is a reply. A
 * write's reply may be sent only once the journal is committed.
 */
export function dispatch(engine: Engine, command: Doc): Outcome {
  const [name = ""] = Object.keys(command);
  const isWrite = Object.hasOwn(writes, name);
  try {
    const handler = isWrite ? writes[name] : Object.hasOwn(reads, name) ? reads[name] : undefined;
    if (
      command.startTransaction !== undefined ||
      command.autocommit !== undefined ||
      /^(commit|abort)Transaction$/.test(name)
    ) {
      throw new CommandError(20, "Transaction numbers are only allowed on a replica set member or mongos");
    }
    if (handler === undefined) throw new CommandError(59, `no such command: '${name}'`);
    const reply = handler(engine, String(command.$db), command);
    return { isWrite, reply: reply instanceof Promise ? reply.then(succeeded, failed) : succeeded(reply) };
  } catch (thrown) {
    return { isWrite, reply: failed(thrown) };
  }
}

function succeeded(reply: Reply): Reply {
  return "batchName" in reply ? reply : { ...reply, ok: new Double(1) };
}

function failed(thrown: unknown): Doc {
  const { code, codeName, message, extra } = asCommandError(thrown);
  return { ok: new Double(0), errmsg: message, code: new Int32(code), codeName, ...extra };
}
