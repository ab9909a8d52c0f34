import express, { type Router } from "express";
import type { HostedPages } from "../visit.ts";
import { changeAddressRoute, confirmAddressRoute, showAddressRoute } from "./change-address.ts";
import { changePasswordRoute, showPasswordRoute } from "./change-password.ts";
import { deleteAccountRoute, showDeleteRoute, showDeletionRoute } from "./delete-account.ts";
import { downloadDataRoute, endOtherSessionsRoute, endSessionRoute, showAccountRoute } from "./show-account.ts";
import {
  reauthenticateAccountRoute,
  showAccountSignInRoute,
  showReauthenticateRoute,
  signInToAccountRoute,
  signOutOfAccountRoute,
} from "./sign-in-to-account.ts";

/** The pages below `account`, where people view and change their account without coming from a project. */
export function accountRoutes(pages: HostedPages): Router {
  const router = express.Router();
  router.get("/", showAccountRoute(pages));
  router.get("/sign-in", showAccountSignInRoute(pages));
  router.post("/sign-in", signInToAccountRoute(pages));
  router.get("/reauthenticate", showReauthenticateRoute(pages));
  router.post("/reauthenticate", reauthenticateAccountRoute(pages));
  router.post("/sign-out", signOutOfAccountRoute(pages));
  router.post("/end-session", endSessionRoute(pages));
  router.post("/end-other-sessions", endOtherSessionsRoute(pages));
  router.post("/data", downloadDataRoute(pages));
  router.get("/password", showPasswordRoute(pages));
  router.post("/password", changePasswordRoute(pages));
  router.get("/address", showAddressRoute(pages));
  router.post("/address", changeAddressRoute(pages));
  router.post("/address-code", confirmAddressRoute(pages));
  router.get("/delete", showDeleteRoute(pages));
  router.post("/delete", deleteAccountRoute(pages));
  router.get("/deleted", showDeletionRoute(pages));
  return router;
}
