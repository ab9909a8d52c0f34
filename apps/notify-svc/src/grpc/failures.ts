import { ServiceError, type Violation } from "@platform/kit/rpc/errors";
import type { EndpointFailure } from "../domain/endpoint.ts";

/** Error for an endpoint that the Project Client does not have. Another client's endpoint gets the same error. */
export function endpointNotFound(): ServiceError {
  return new ServiceError("delivery_endpoint_not_found", "This Project Client has no Delivery Endpoint with this id.");
}

/** A violation of the contract that only this service can detect. */
export function contractViolation(path: string, code: Violation["code"], message: string): ServiceError {
  return new ServiceError("contract_violation", "The request violates the contract; details.violations lists where.", {
    details: { violations: [{ path, code, message }] },
  });
}

const messages: Readonly<Record<EndpointFailure, string>> = {
  delivery_endpoint_revoked: "The Delivery Endpoint has been revoked; register it again.",
  verification_token_invalid: "The verification token is wrong or was used before.",
  verification_token_expired: "The verification token has expired; register the endpoint again.",
  verification_locked: "Too many wrong verification tokens; register the endpoint again.",
  too_many_purposes: "The Delivery Endpoint has consents for too many purposes.",
};

/** The error for a rejected change of an endpoint. */
export function endpointFailure(failure: EndpointFailure): ServiceError {
  if (failure === "too_many_purposes") {
    return contractViolation("path:purpose", "too_many", "the endpoint has consents for 1000 purposes already");
  }
  return new ServiceError(failure, messages[failure]);
}
