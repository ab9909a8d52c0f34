import type { Problem } from "./texts/en.ts";

/** Ends a request with a page that explains why the person cannot continue. */
export class PageProblem extends Error {
  readonly problem: Problem;
  readonly status: number;
  /** A link to continue with, if any: one of our pages or the project's return_uri. */
  readonly way: { readonly href: string; readonly project: string | null } | null;

  constructor(problem: Problem, status = 422, way: PageProblem["way"] = null) {
    super(problem);
    this.name = "PageProblem";
    this.problem = problem;
    this.status = status;
    this.way = way;
  }
}

/** An operator disabled the project; nothing continues until it is enabled. */
export function projectUnavailable(): PageProblem {
  return new PageProblem("project_unavailable", 403);
}
