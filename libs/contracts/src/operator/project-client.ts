/** The Project Client that a list is of, or a thing belongs to; `{ ...projectClient, isRequired: true }` where there must be one. */
export const projectClient = {
  field: "projectClientId",
  option: "client",
  kind: "id",
  label: "Project Client",
  explanation: "Project Client id",
  offers: "clients",
} as const;

/** The Project Client of a list that also works without one: it then has the rows of every client, each with its own. */
export const anyProjectClient = { ...projectClient, explanation: "only those of this Project Client" } as const;
