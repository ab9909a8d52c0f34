import { parse } from "yaml";

type Step = { readonly uses?: string; readonly run?: string };
type Job = {
  readonly needs?: string | readonly string[];
  readonly permissions?: string | Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
  readonly uses?: string;
};
type Workflow = { readonly permissions?: unknown; readonly jobs?: Readonly<Record<string, Job>> };

/** A third-party action, pinned to the commit that was reviewed. A tag can be moved to another commit. */
const pinnedAction = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
const ownAction = /^\.\//;
/** Finds the image of a `docker run`, which is the first word after the options. The list contains the options that take the next word as their value. */
const dockerRun = /\bdocker run\b([^\n|;&]*)/g;
const optionsWithValue = new Set(["-e", "-v", "-p", "-u", "-w", "--env", "--volume", "--user", "--workdir", "--name"]);

/**
 * Checks a workflow. Every action must be pinned by its commit, and no privileged container may run. A job with a token
 * or a secret must not run an image that is not pinned by its digest, or start a builder. Otherwise anyone who can move
 * a tag could act with the permissions of the job. Images and packages may be published only after the tests of the
 * same commit.
 * @returns one line per problem, with the file and the job
 */
export function checkWorkflow(file: string, text: string): string[] {
  const workflow = parse(text) as Workflow;
  const problems = publishedUntested(workflow.jobs ?? {}).map(
    (name) =>
      `${file}: job ${name}: publishes before the tests of its commit have passed; let it need a job that uses ${testsWorkflow}`,
  );
  if (workflow.permissions === undefined)
    problems.push(`${file}: has no permissions, so that its jobs hold all of them`);
  for (const [name, job] of Object.entries(workflow.jobs ?? {})) {
    const say = (problem: string): void => void problems.push(`${file}: job ${name}: ${problem}`);
    for (const action of [job.uses, ...(job.steps ?? []).map(({ uses }) => uses)]) {
      if (action !== undefined && !ownAction.test(action) && !pinnedAction.test(action))
        say(`uses ${action}; name the commit's 40 hexadecimal digits`);
    }
    const scripts = (job.steps ?? []).map(({ run = "" }) => run.replaceAll(/\\\n\s*/g, " "));
    const holdsToken = isWriter(job.permissions) || JSON.stringify(job.steps ?? []).includes("secrets.");
    for (const script of scripts) {
      if (/--privileged\b/.test(script)) say("runs a privileged container");
      if (/\bfor \w+ in [^;\n]*\$\(/.test(script))
        say("loops over a command, whose failure bash ignores; assign its output to a variable first");
      if (!holdsToken) continue;
      for (const [, words = ""] of script.matchAll(dockerRun)) {
        const image = imageOf(words.trim().split(/\s+/));
        if (!/@sha256:[0-9a-f]{64}$/.test(image)) say(`holds a token and runs ${image}; name its digest`);
      }
      if (/\bdocker buildx (create|build)\b|\bdocker build\b/.test(script))
        say("holds a token and builds an image; build it in a job without one");
      if (/\bnpm (ci|install)\b/.test(script)) say("holds a token and installs packages; install in a job without one");
    }
  }
  return problems;
}

const testsWorkflow = "./.github/workflows/tests.yml";
const imageWorkflow = "./.github/workflows/publish-image.yml";

/** Finds jobs that publish an image or a package and that do not need the tests, neither directly nor through another job. */
function publishedUntested(jobs: Readonly<Record<string, Job>>): string[] {
  const waits = (name: string): boolean =>
    [jobs[name]?.needs ?? []].flat().some((needed) => jobs[needed]?.uses === testsWorkflow || waits(needed));
  const publishes = ({ uses, steps = [] }: Job): boolean =>
    uses === imageWorkflow || steps.some(({ run = "" }) => /\bnpm publish\b(?!.*--dry-run)/.test(run));
  return Object.keys(jobs).filter((name) => publishes(jobs[name] ?? {}) && !waits(name));
}

function isWriter(permissions: Job["permissions"]): boolean {
  if (typeof permissions === "string") return permissions === "write-all";
  return Object.values(permissions ?? {}).includes("write");
}

function imageOf(words: readonly string[]): string {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (optionsWithValue.has(word)) at += 1;
    else if (!word.startsWith("-")) return word;
  }
  return "";
}
