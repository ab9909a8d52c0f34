/** Starting and stopping the process of a service. */
export {
  type RunningService,
  type Served,
  type ServiceKit,
  type ServiceOptions,
  type ServiceOverrides,
  startService,
} from "../../service/start-service.ts";
