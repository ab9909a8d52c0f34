import type { ServiceError } from "@platform/kit/rpc/errors";

/** Ends a request with a page that explains the problem. */
export class PageProblem extends Error {
  readonly status: number;
  readonly title: string;

  constructor(status: number, title: string, message: string) {
    super(message);
    this.name = "PageProblem";
    this.status = status;
    this.title = title;
  }
}

/** Returns the HTTP status of a page that shows the error of a service. */
export function statusOf({ code }: ServiceError): number {
  if (code === "unauthenticated") return 401;
  if (code === "permission_denied") return 403;
  if (code.endsWith("_not_found")) return 404;
  if (code === "dependency_unavailable") return 503;
  if (code === "deadline_exceeded") return 504;
  return code === "internal_error" ? 500 : 422;
}

/** Returns the title of an error page by its status. */
export function titleOf(status: number): string {
  return titles[status] ?? "Something went wrong";
}

const titles: Readonly<Record<number, string>> = {
  403: "You do not have permission to do this",
  404: "There is nothing here",
  413: "The request is too large",
  422: "This cannot be done",
  429: "Too many requests",
  503: "Part of the platform is unavailable",
  504: "The platform did not respond in time",
};
