/** The platform's services: the name of each app below apps/ without its `-svc`, and of its database. */
export const serviceNames = ["identity", "files", "notify", "events", "ads"] as const;
