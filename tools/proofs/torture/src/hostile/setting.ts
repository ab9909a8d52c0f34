/**
 * What the hostile callers know about the platform: its public addresses, and the secrets that each of them was given.
 */
export type StackAddresses = {
  readonly gatewayUrl: string;
  readonly consoleUrl: string;
  /** Address of events-svc, where teams read their own events. */
  readonly eventsGrpc: string;
  /** A consumer token of the hostile project. */
  readonly consumerToken: string;
  /** Password of the local stack's viewer. */
  readonly viewerPassword: string;
  /** The hostile project, which has the default quotas of its environment. */
  readonly clientId: string;
  readonly credential: string;
  /** A URL on this machine at which the hostile project receives calls and responds as late as permitted. */
  readonly slowTargetPort: number;
};
