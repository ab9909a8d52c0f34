/** A question of a reader who does not know the platform. The site must answer it. */
export type Question = {
  readonly question: string;
  /** What the reader types into the search box. */
  readonly words: string;
  /** Path below /docs of the page that answers it, without `.html`. */
  readonly page: string;
};

const projectDevelopers: readonly Question[] = [
  {
    question: "I did not get a response. How do I send the request again without doing its work twice?",
    words: "idempotency key",
    page: "concepts/a-request",
  },
  {
    question: "How do I check that a webhook comes from the platform?",
    words: "verify webhook signature",
    page: "guides/react-to-events",
  },
  {
    question: "My request failed. How do I find out why?",
    words: "request failed",
    page: "guides/find-out-why-a-request-failed",
  },
  { question: "How does a browser upload a file directly?", words: "upload browser", page: "files" },
];

const platformEngineers: readonly Question[] = [
  { question: "How do I back up the platform and restore it?", words: "backup restore", page: "operations" },
  { question: "In which order do I upgrade, and can I go back?", words: "upgrade", page: "operations" },
  { question: "How many requests can an installation take?", words: "scale requests", page: "scale" },
  { question: "How do I rotate the keys between services?", words: "rotate keys", page: "operations" },
];

const serviceTeams: readonly Question[] = [
  { question: "How do I add an operation to the API?", words: "add operation", page: "contributing" },
  { question: "Which packages may a service import?", words: "import rules", page: "architecture" },
  { question: "How does a service read all events of a project?", words: "read events grpc", page: "events" },
  { question: "How do I release one service?", words: "release", page: "releases" },
];

/** The questions that the site's search has to answer, by kind of reader. */
export const questions: readonly Question[] = [...projectDevelopers, ...platformEngineers, ...serviceTeams];
