import type { Problem } from "./texts/en.ts";

/** Ends a request with a page that explains the obstacle. */
export class PageProblem extends Error {
  readonly problem: Problem;
  readonly status: number;
  /** A way on, where there is one: a page of ours or the project's return_uri. */
  readonly way: { readonly href: string; readonly project: string | null } | null;

  constructor(problem: Problem, status = 422, way: PageProblem["way"] = null) {
    super(problem);
    this.name = "PageProblem";
    this.problem = problem;
    this.status = status;
    this.way = way;
  }
}

/** The project has been disabled by an operator: nothing of it goes on until it is enabled. */
export function projectUnavailable(): PageProblem {
  return new PageProblem("project_unavailable", 403);
}
