/**
 * Reasons why a person cannot take the next step, and the ends of a flow. Each has a title and a text in every
 * language.
 */
export type Problem =
  | "no_flow"
  | "continuation_invalid"
  | "continuation_in_use"
  | "transaction_expired"
  | "linked_elsewhere"
  | "contact_link_dead"
  | "reset_link_used"
  | "project_unavailable"
  | "form_expired"
  | "link_used"
  | "cancelled"
  | "linked"
  | "waiting"
  | "not_found"
  | "too_large"
  | "unavailable"
  | "internal";

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
