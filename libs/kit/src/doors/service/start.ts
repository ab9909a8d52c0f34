/** The start and the stop of a service's process. */
export {
  type RunningService,
  type Served,
  type ServiceKit,
  type ServiceOptions,
  type ServiceOverrides,
  startService,
} from "../../service/start-service.ts";
