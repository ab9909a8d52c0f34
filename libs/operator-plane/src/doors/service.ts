/** Starting a service of the platform. */
export { platformStorage } from "../service/plane-stores.ts";
export type { PlatformKit } from "../service/platform-kit.ts";
export { startPlatformService } from "../service/start-platform-service.ts";
