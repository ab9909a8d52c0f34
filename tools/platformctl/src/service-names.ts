export { type ServiceName, serviceNames } from "@platform/contracts/services";
