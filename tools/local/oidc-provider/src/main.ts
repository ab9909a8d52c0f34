import { parseArgs } from "node:util";
import { readPeople } from "./people.ts";
import { startLocalProvider } from "./start-local-provider.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8111" },
    /** File with lines of the form OPERATOR_<ROLE>_PASSWORD=…. */
    people: { type: "string", default: ".local/operators.env" },
    /** The address at which the console receives the response of a sign-in. The option may be repeated. */
    "console-redirect-uri": { type: "string", multiple: true, default: ["http://127.0.0.1:8110/sign-in/callback"] },
  },
});

const provider = await startLocalProvider({
  port: Number(values.port),
  people: readPeople(values.people),
  consoleRedirectUris: values["console-redirect-uri"],
});
console.log(JSON.stringify({ issuer: provider.issuer }));

for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void provider.close());
