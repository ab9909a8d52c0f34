import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import { startOnFreePort, startTestProcess } from "./test-process.ts";

const keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

/** An S3-compatible server for one test, with one bucket. */
export type TestS3 = {
  readonly settings: {
    readonly bucket: string;
    readonly region: string;
    readonly endpoint: string;
    readonly credentials: typeof keys;
    readonly forcePathStyle: boolean;
    readonly prefix: string;
    readonly workFolder: string;
  };
  /** The settings of this server as the environment of a files-svc. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder with the bucket's objects. */
  readonly folder: string;
  close(): Promise<void>;
};

/** Starts versitygw if TEST_S3_SERVER is the path of its program, otherwise a server from npm. */
export async function startTestS3(): Promise<TestS3> {
  const folder = await mkdtemp(join(tmpdir(), "s3-"));
  const program = process.env.TEST_S3_SERVER ?? "";
  const server = program === "" ? await startS3rver(folder) : await startVersitygw(program, folder);
  const endpoint = `http://127.0.0.1:${server.port}`;
  return {
    settings: {
      bucket: "files",
      region: "us-east-1",
      endpoint,
      credentials: keys,
      forcePathStyle: true,
      prefix: "platform/",
      workFolder: folder,
    },
    env: {
      BLOB_STORE: "s3",
      S3_BUCKET: "files",
      S3_ENDPOINT: endpoint,
      S3_PREFIX: "platform/",
      S3_ACCESS_KEY_ID: keys.accessKeyId,
      S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    folder: join(folder, "files"),
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Server = { readonly port: number; close(): Promise<void> };

async function startS3rver(folder: string): Promise<Server> {
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: "files", configs: [] }],
  });
  const { port } = await server.run();
  return { port, close: () => server.close() };
}

async function startVersitygw(program: string, folder: string): Promise<Server> {
  await mkdir(join(folder, "files"));
  return startOnFreePort(async (port) => {
    const server = startTestProcess(program, ["--port", `127.0.0.1:${port}`, "posix", folder], {
      env: { ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
    });
    const answers = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    await server.until(answers, { what: "versitygw answers" });
    return { port, close: () => server.end("SIGTERM") };
  });
}
