/** How a process reads its environment. What other packages may import; a module without a line here is the package's own. */
export { envOfParts } from "../../process/part-env.ts";
export {
  envFields,
  readCertificateFile,
  readEnv,
  redisEnv,
  redisSettings,
  tlsEnv,
  transferDrainEnv,
} from "../../process/read-env.ts";
export { type S3Access, s3Access, s3Compatibility, s3Env } from "../../process/s3-env.ts";
