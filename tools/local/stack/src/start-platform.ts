import { type Part, run, startTogether } from "@platform/kit/process/run";
import { readPeople } from "@platform/oidc-provider/people";
import { startLocalProvider } from "@platform/oidc-provider/start-local-provider";
import { platformLayers } from "@platform/platform/layers";

/** The local stack's identity provider. It reads its settings from variables here, because the process has no arguments for each part. */
const provider: Part = {
  name: "oidc-provider",
  start: async (env) => {
    const { close } = await startLocalProvider({
      port: Number(env.PORT),
      people: readPeople(env.PEOPLE ?? ""),
      consoleRedirectUris: [env.CONSOLE_REDIRECT_URI ?? ""],
    });
    return { stopServing: () => {}, close };
  },
};

await run(() => startTogether("platform", [...platformLayers, [provider]], process.env));
