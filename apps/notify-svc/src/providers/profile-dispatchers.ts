import { Agent, type Dispatcher } from "undici";

/**
 * Connections to an HTTP provider. Each profile has its own, so that a profile whose requests hang cannot use up the
 * connections of another.
 */
export function createProfileDispatchers(connections: number, answerMs: number) {
  const agents = new Map<string, Agent>();
  return {
    of: (profileId: string): Dispatcher => {
      const known = agents.get(profileId);
      if (known !== undefined) return known;
      const agent = new Agent({ connections, headersTimeout: answerMs, bodyTimeout: answerMs });
      agents.set(profileId, agent);
      return agent;
    },
    forget: (profileId: string): void => {
      // The promise resolves when the last response has arrived; nothing has to wait for that.
      void agents.get(profileId)?.close();
      agents.delete(profileId);
    },
    close: async (): Promise<void> => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}
