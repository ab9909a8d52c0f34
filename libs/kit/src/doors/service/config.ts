/** The configuration of every service. What other packages may import; a module without a line here is the package's own. */
export {
  type BackupConfig,
  defineServiceConfig,
  outboundAllowField,
  type ServerConfig,
  type ServiceConfig,
} from "../../service/service-config.ts";
