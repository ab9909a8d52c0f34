/** The start of a service of the platform. What other packages may import; a module without a line here is the package's own. */
export { platformStorage } from "../service/plane-stores.ts";
export type { PlatformKit } from "../service/platform-kit.ts";
export { startPlatformService } from "../service/start-platform-service.ts";
