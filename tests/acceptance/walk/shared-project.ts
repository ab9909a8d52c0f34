import { ctl } from "../stack.ts";
import { newProject, type Project } from "./project.ts";

const made = new Map<string, Promise<Project>>();

/**
 * A project that the files of one worker share, with a quota of requests that none of them reaches. For tests that add to it, and change neither
 * its limits nor its credentials.
 * @param name tells projects apart, for tests of two of them
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
