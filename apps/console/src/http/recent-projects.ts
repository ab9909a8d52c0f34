/** Maximum number of projects that the switcher remembers. */
const recentMax = 5;
/** How long a browser remembers them, in seconds. */
export const recentSeconds = 30 * 24 * 3_600;

/**
 * Returns the ids of the projects that a browser used most recently, newest first.
 * @param remembered value of the cookie `console_projects`: ids separated by dots
 * @param used the project of the current page
 */
export function recentProjects(remembered: string | null, used: string | undefined): string[] {
  const before = remembered === null ? [] : remembered.split(".");
  return [...new Set(used === undefined ? before : [used, ...before])].slice(0, recentMax);
}
