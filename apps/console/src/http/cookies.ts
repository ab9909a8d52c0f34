import { type Cookies, createCookies } from "@platform/kit/web/http";

const forms = {
  /** The id of a session. */
  console: /^[0-9a-f]{64}$/,
  /** An encrypted pending sign-in. */
  console_sign_in: /^[0-9a-f]{8}\.[A-Za-z0-9+/]{1,2036}={0,2}$/,
  /** Ids of the most recently used projects, for the project switcher. */
  console_projects: /^[0-9a-f-]{36}(?:\.[0-9a-f-]{36}){0,4}$/,
} as const;

export type ConsoleCookies = Cookies<keyof typeof forms>;

/** @param baseUrl address of the console */
export const createConsoleCookies = (baseUrl: string): ConsoleCookies => createCookies(baseUrl, forms);
