import { parseArgs } from "node:util";
import { startEmbeddedMongo } from "./index.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" }, data: { type: "string" } } });
const mongo = await startEmbeddedMongo({
  port: Number(values.port),
  ...(values.data !== undefined && { dataDir: values.data }),
  onFailure: (error) => {
    console.error(`Changes can no longer be kept: ${error.message}`);
    process.exit(1);
  },
});
console.log(`listening ${mongo.uri}`);

const stop = () => void mongo.close().then(() => process.exit(0));
process.once("SIGTERM", stop);
process.once("SIGINT", stop);
