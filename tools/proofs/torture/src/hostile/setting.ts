/** What the hostile callers know about the platform: its public addresses, and what each of them was given. */
export type StackAddresses = {
  readonly gatewayUrl: string;
  readonly consoleUrl: string;
  /** events-svc, where teams read their own events. */
  readonly eventsGrpc: string;
  /** A consumer token of the hostile project. */
  readonly consumerToken: string;
  /** Password of the local stack's viewer. */
  readonly viewerPassword: string;
  /** The hostile project, with the quotas of its environment. */
  readonly clientId: string;
  readonly credential: string;
  /** A URL of this machine on which the hostile project listens and responds as late as allowed. */
  readonly slowTargetPort: number;
};
