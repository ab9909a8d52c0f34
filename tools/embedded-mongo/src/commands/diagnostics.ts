import { Int32, Long } from "bson";
import type { Engine } from "../engine.ts";
import { type Doc, documentBytesMax } from "../values.ts";

/** The version that the engine reports: MongoDB 7.0, whose behaviour it follows. With 8.0, drivers would use the bulkWrite command and sorted updates. */
const version = "7.0.0";
const wireVersion = 21;

export function hello(): Doc {
  return {
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: new Int32(documentBytesMax),
    maxMessageSizeBytes: new Int32(48_000_000),
    maxWriteBatchSize: new Int32(100_000),
    localTime: new Date(),
    logicalSessionTimeoutMinutes: new Int32(30),
    minWireVersion: new Int32(0),
    maxWireVersion: new Int32(wireVersion),
    readOnly: false,
  };
}

export function buildInfo(): Doc {
  const versionArray = [7, 0, 0, 0].map((part) => new Int32(part));
  return { version, versionArray, gitVersion: "embedded", modules: ["embedded-mongo"], bits: new Int32(64) };
}

export function serverStatus(engine: Engine): Doc {
  return {
    version,
    process: "embedded-mongo",
    pid: Long.fromNumber(process.pid),
    uptime: process.uptime(),
    localTime: new Date(),
    storageEngine: { name: "embedded" },
    collections: new Int32(engine.collections.size),
  };
}

export function acknowledge(): Doc {
  return {};
}
