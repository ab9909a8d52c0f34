import { ctl } from "../stack.ts";
import { newProject, type Project } from "./project.ts";

const made = new Map<string, Promise<Project>>();

/**
 * Returns a project that the test files of one worker share. Its request quota is never reached. Tests may add to it, but must not change its limits or
 * credentials.
 * @param name distinguishes projects, for tests that need two
 */
export function sharedProject(name = "first"): Promise<Project> {
  const project = made.get(name) ?? newSharedProject();
  made.set(name, project);
  return project;
}

async function newSharedProject(): Promise<Project> {
  const project = await newProject();
  await ctl(["quotas", "set", "--client", project.client.id, "--resource", "api_traffic", "--limit", "1000000"]);
  return project;
}
