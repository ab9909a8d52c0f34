/** Settings that a process reads from its environment. */
export { envOfParts } from "../../process/part-env.ts";
export {
  envFields,
  readCertificateFile,
  readEnv,
  redisEnv,
  redisSettings,
  tlsEnv,
  transferDrainEnv,
  trustedProxiesRequired,
} from "../../process/read-env.ts";
export { type S3Access, s3Access, s3Compatibility, s3Env } from "../../process/s3-env.ts";
