/**
 * The field for the Project Client of a list or of a resource. Use `{ ...projectClient, isRequired: true }` if it is
 * required.
 */
export const projectClient = {
  field: "projectClientId",
  option: "client",
  kind: "id",
  label: "Project",
  explanation: "Project Client id",
  offers: "clients",
} as const;

/**
 * The field for the Project Client of a list that also works without one. It then contains rows of all clients, each
 * with its client.
 */
export const anyProjectClient = {
  ...projectClient,
  explanation: "only those of the project with this Project Client id",
} as const;
