/** The start and the stop of a service's process. What other packages may import; a module without a line here is the package's own. */
export {
  type RunningService,
  type Served,
  type ServiceKit,
  type ServiceOptions,
  type ServiceOverrides,
  startService,
} from "../../service/start-service.ts";
