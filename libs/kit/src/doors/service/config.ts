/** The configuration of every service. */
export {
  type BackupConfig,
  defineServiceConfig,
  outboundAllowField,
  type ServerConfig,
  type ServiceConfig,
} from "../../service/service-config.ts";
