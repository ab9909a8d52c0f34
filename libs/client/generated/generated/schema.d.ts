export interface paths {
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Probe the health of the service and its components
         * @description Answers within a second, also when everything behind it hangs. Always 200: the status is in the body.
         */
        readonly get: operations["edge.getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/noop": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Validate a request against the contract, without side effect
         * @description A repeat with the same key and payload replays the first result with `meta.replayed` true; the same key with another payload is refused with 409.
         */
        readonly post: operations["edge.noop"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/project-client": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read the authenticated Project Client */
        readonly get: operations["identity.getProjectClient"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/identity-migration-transactions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create an Identity Migration Transaction
         * @description Create it only after recently authenticating the legacy subject. The flow_token of the answer goes to the registration-or-linking flow; an identical retry recovers it.
         */
        readonly post: operations["identity.createIdentityMigrationTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/identity-migration-transactions/{transactionId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read an Identity Migration Transaction */
        readonly get: operations["identity.getIdentityMigrationTransaction"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/identity-migration-transactions/{transactionId}/hosted-continuations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Start a hosted continuation for one browser
         * @description Send only the continuation id and continuation_token onward, in a direct form POST to /identity-migration/continue. An identical retry recovers the same continuation.
         */
        readonly post: operations["identity.createHostedContinuation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/identity-migration/continue": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Continue in the browser (form POST)
         * @description Binds the continuation to the first browser that posts it and leads it to the hosted pages. Errors are HTML pages.
         */
        readonly post: operations["identity.continueIdentityMigration"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/identity-migration-transactions/{transactionId}/link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Link the signed-in account to the transaction
         * @description The account needs an email Login Identifier verified after the transaction was created. A retry by the same account returns the established link.
         */
        readonly post: operations["identity.linkIdentityMigrationTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/identity-migration-transactions/{transactionId}/confirm-link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Confirm that the Project Backend has recorded the link
         * @description Call it once the Account ID link is durably recorded. Safe to retry.
         */
        readonly post: operations["identity.confirmLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/identity-migration-transactions/{transactionId}/email-verification": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mail a verification link to the asserted address
         * @description The account must own the asserted address. A repeat invalidates the previous link at once. Mails are at least 30 seconds apart: within them the newest link's mail follows at their end. A transaction has ten.
         */
        readonly post: operations["identity.requestEmailVerification"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/identity-migration-transactions/{transactionId}/verify-email/{token}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow a mailed verification link
         * @description Answers a page to browsers (`Accept: text/html`). HEAD does not consume the link.
         */
        readonly get: operations["identity.verifyEmail"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/file-objects/upload-grants": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Start an upload
         * @description The upload token is returned only once: a repeat with the same key is refused, so after a lost answer ask for a new grant.
         */
        readonly post: operations["files.createUploadGrant"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/file-uploads/{uploadToken}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Upload the bytes of a File Object
         * @description The token is claimed before the first byte is read, so a failed upload uses it up. After an uncertain upload, obtain a new grant.
         */
        readonly put: operations["files.uploadFile"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/file-objects/{fileObjectId}/complete": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Classify an uploaded File Object
         * @description Returns the current classification. Safe to retry.
         */
        readonly post: operations["files.completeFileObject"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/file-objects/{fileObjectId}/download-grants": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Grant a private download
         * @description The same key for the same File Object recovers a lost answer.
         */
        readonly post: operations["files.createDownloadGrant"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/file-objects/{fileObjectId}/public-assets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Publish an image under an approved preset */
        readonly post: operations["files.createPublicAsset"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notification-catalog/validate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Validate a Notification Catalog
         * @description Read-only. Entries are unique by event_key, channel and locale.
         */
        readonly post: operations["notify.validateNotificationCatalog"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/email-delivery-endpoints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Register an email Delivery Endpoint
         * @description An upsert by normalized address (trimmed, NFC, lower case).
         */
        readonly post: operations["notify.registerEmailDeliveryEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/email-delivery-endpoints/{endpointId}/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Verify an email Delivery Endpoint
         * @description The token is single-use.
         */
        readonly post: operations["notify.verifyEmailDeliveryEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notification-intents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send an email notification
         * @description Retry with the same key and an unchanged body.
         */
        readonly post: operations["notify.createNotificationIntent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/channel-notification-intents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a notification by FCM, APNs, LINE or Web Push
         * @description The endpoint must have granted consent for the purpose. Retry with the same key and an unchanged body.
         */
        readonly post: operations["notify.createChannelNotificationIntent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notification-endpoints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Register a channel Delivery Endpoint
         * @description The same Project Client, channel and provider token resolve to the same endpoint. The verification token is sent through the channel.
         */
        readonly post: operations["notify.registerDeliveryEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notification-endpoints/{endpointId}/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Verify a channel Delivery Endpoint
         * @description Consumes the current token. Inspect the endpoint before retrying after an ambiguous answer.
         */
        readonly post: operations["notify.verifyDeliveryEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notification-endpoints/{endpointId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a channel Delivery Endpoint */
        readonly get: operations["notify.getDeliveryEndpoint"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke a channel Delivery Endpoint
         * @description Repeating keeps it revoked.
         */
        readonly delete: operations["notify.revokeDeliveryEndpoint"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notification-endpoints/{endpointId}/consents/{purpose}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Grant or withdraw consent for a purpose
         * @description Repeating the same value keeps the same effective consent.
         */
        readonly put: operations["notify.setDeliveryConsent"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notification-deliveries/{deliveryId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a Notification Delivery */
        readonly get: operations["notify.getNotificationDelivery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/project-audits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record a Project Audit fact
         * @description Only opaque references plus a bounded action and outcome. The identical fact under the same key returns the same Project Audit ID.
         */
        readonly post: operations["events.createProjectAudit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/domain-events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Publish a Domain Event */
        readonly post: operations["events.publishDomainEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/scheduled-operations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Register the endpoint of a scheduled operation
         * @description Reuse the key only with the same name, url, secret and max_attempts.
         */
        readonly post: operations["events.registerScheduledOperation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/advertising/viewable-impressions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record a verified Viewable Impression
         * @description Repeats are told by the signed token and charged once.
         */
        readonly post: operations["ads.recordViewableImpression"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Error: {
            readonly error: {
                /** @enum {string} */
                readonly code: "unauthenticated" | "insufficient_scope" | "recent_authentication_required" | "project_client_disabled" | "route_not_found" | "method_not_allowed" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "contract_violation" | "idempotency_key_reused" | "platform_quota_exceeded" | "internal_error" | "dependency_unavailable" | "deadline_exceeded" | "identity_migration_transaction_not_found" | "download_not_found" | "public_asset_taken_down" | "range_not_satisfiable" | "project_client_mismatch" | "identity_migration_transaction_expired" | "identity_migration_state_conflict" | "flow_token_invalid" | "flow_token_locked" | "email_not_owned" | "email_not_verified" | "account_already_linked" | "return_uri_not_allowed" | "verification_link_invalid" | "verification_limit_reached" | "upload_token_invalid" | "upload_checksum_mismatch" | "upload_too_large" | "upload_content_type_mismatch" | "upload_grant_already_issued" | "file_object_not_found" | "file_object_not_uploaded" | "file_object_not_available" | "image_preset_not_found" | "file_object_not_image" | "delivery_endpoint_not_found" | "delivery_endpoint_not_verified" | "delivery_endpoint_revoked" | "verification_token_invalid" | "verification_token_expired" | "verification_locked" | "sender_profile_not_found" | "template_not_found" | "template_variables_mismatch" | "channel_mismatch" | "consent_required" | "consent_withdrawn" | "notification_delivery_not_found" | "stream_sequence_conflict" | "scheduled_url_not_allowed" | "decision_token_invalid" | "decision_token_expired" | "viewability_not_met";
                /** @description For people; may change. */
                readonly message: string;
                /** @description May the same request succeed later? */
                readonly retryable: boolean;
                /** Format: uuid */
                readonly correlation_id: string;
                readonly details: Record<string, never>;
            };
        };
        readonly UnprocessableError: {
            readonly error: {
                /** @enum {string} */
                readonly code: "unauthenticated" | "insufficient_scope" | "recent_authentication_required" | "project_client_disabled" | "route_not_found" | "method_not_allowed" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "contract_violation" | "idempotency_key_reused" | "platform_quota_exceeded" | "internal_error" | "dependency_unavailable" | "deadline_exceeded" | "identity_migration_transaction_not_found" | "download_not_found" | "public_asset_taken_down" | "range_not_satisfiable" | "project_client_mismatch" | "identity_migration_transaction_expired" | "identity_migration_state_conflict" | "flow_token_invalid" | "flow_token_locked" | "email_not_owned" | "email_not_verified" | "account_already_linked" | "return_uri_not_allowed" | "verification_link_invalid" | "verification_limit_reached" | "upload_token_invalid" | "upload_checksum_mismatch" | "upload_too_large" | "upload_content_type_mismatch" | "upload_grant_already_issued" | "file_object_not_found" | "file_object_not_uploaded" | "file_object_not_available" | "image_preset_not_found" | "file_object_not_image" | "delivery_endpoint_not_found" | "delivery_endpoint_not_verified" | "delivery_endpoint_revoked" | "verification_token_invalid" | "verification_token_expired" | "verification_locked" | "sender_profile_not_found" | "template_not_found" | "template_variables_mismatch" | "channel_mismatch" | "consent_required" | "consent_withdrawn" | "notification_delivery_not_found" | "stream_sequence_conflict" | "scheduled_url_not_allowed" | "decision_token_invalid" | "decision_token_expired" | "viewability_not_met";
                /** @description For people; may change. */
                readonly message: string;
                /** @description May the same request succeed later? */
                readonly retryable: boolean;
                /** Format: uuid */
                readonly correlation_id: string;
                readonly details: {
                    /** @description With `contract_violation` and `template_variables_mismatch`: every place that is wrong. */
                    readonly violations?: readonly components["schemas"]["Violation"][];
                };
            };
        };
        readonly QuotaError: {
            readonly error: {
                /** @constant */
                readonly code: "platform_quota_exceeded";
                /** @description For people; may change. */
                readonly message: string;
                /** @constant */
                readonly retryable: true;
                /** Format: uuid */
                readonly correlation_id: string;
                readonly details: {
                    /** @enum {string} */
                    readonly resource: "api_traffic" | "storage_bytes" | "deliveries" | "events" | "scheduled_invocations" | "realtime_connections" | "payment_transactions" | "audit_retention";
                    readonly used: number;
                    readonly limit: number;
                    readonly retry_after_seconds: number;
                };
            };
        };
        readonly Violation: {
            /**
             * @description JSON Pointer into the body, or `path:name` or `header:Name` for a parameter.
             * @example /variables/order_number
             * @example path:transactionId
             * @example header:Idempotency-Key
             */
            readonly path: string;
            /** @enum {string} */
            readonly code: "required" | "unknown_property" | "invalid_type" | "invalid_value" | "invalid_format" | "too_short" | "too_long" | "too_small" | "too_big" | "not_unique" | "out_of_range" | "too_many" | "too_large";
            /** @example must be at most 120 characters long */
            readonly message: string;
        };
        /** Health */
        readonly Health: {
            readonly data: {
                /**
                 * @description `degraded`: some components do not answer; `down`: none does.
                 * @enum {string}
                 */
                readonly status: "ok" | "degraded" | "down";
                readonly release: string;
                readonly components: readonly {
                    readonly name: string;
                    /** @enum {string} */
                    readonly status: "ok" | "degraded" | "down";
                }[];
            };
        };
        readonly NoopRequest: {
            readonly money: {
                readonly currency: string;
                /** @description Amount in minor currency units. */
                readonly minor: number;
            };
        } & {
            readonly [key: string]: unknown;
        };
        /** Noop Result */
        readonly NoopResult: {
            readonly data: {
                readonly money: {
                    readonly currency: string;
                    /** @description Amount in minor currency units. */
                    readonly minor: number;
                };
                /** @enum {string} */
                readonly status: "queued" | "completed";
            };
            readonly meta: {
                readonly release: string;
                readonly idempotency_key: string;
                /**
                 * Format: uuid
                 * @description The present request's, also on a replay.
                 */
                readonly correlation_id: string;
                readonly replayed: boolean;
            };
        };
        /** Project Client */
        readonly ProjectClient: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                readonly name: string;
                /** @enum {string} */
                readonly environment: "development" | "sandbox" | "staging" | "production";
                /** @description The scopes granted to the credential. */
                readonly scopes: readonly ("notifications:write" | "clients:read" | "audit:write" | "identity-migrations:write" | "files:write" | "files:read" | "events:write" | "schedules:write")[];
            };
        };
        readonly CreateIdentityMigrationTransactionRequest: {
            /**
             * Format: uuid
             * @description The calling Project Client's own id.
             */
            readonly project_client_id: string;
            readonly legacy_subject: string;
            /** Format: email */
            readonly email: string;
            readonly locale: string;
            /** Format: uuid */
            readonly correlation_id: string;
            /**
             * Format: date-time
             * @description In the future, at most 7 days ahead.
             */
            readonly expires_at: string;
        };
        /** Created Identity Migration Transaction */
        readonly CreatedIdentityMigrationTransaction: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                /** Format: uuid */
                readonly project_client_id: string;
                /** @description The project-scoped legacy subject. */
                readonly legacy_subject: string;
                /**
                 * Format: email
                 * @description The asserted email address.
                 */
                readonly email: string;
                readonly locale: string;
                /** Format: uuid */
                readonly correlation_id: string;
                /** Format: date-time */
                readonly expires_at: string;
                /** @enum {string} */
                readonly status: "pending" | "link_pending" | "completed" | "expired";
                /** @description Null until an account is linked. */
                readonly account_id: string | null;
                /** @description Returned by the creation only. */
                readonly flow_token: string;
            };
        };
        /** Identity Migration Transaction */
        readonly IdentityMigrationTransaction: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                /** Format: uuid */
                readonly project_client_id: string;
                /** @description The project-scoped legacy subject. */
                readonly legacy_subject: string;
                /**
                 * Format: email
                 * @description The asserted email address.
                 */
                readonly email: string;
                readonly locale: string;
                /** Format: uuid */
                readonly correlation_id: string;
                /** Format: date-time */
                readonly expires_at: string;
                /** @enum {string} */
                readonly status: "pending" | "link_pending" | "completed" | "expired";
                /** @description Null until an account is linked. */
                readonly account_id: string | null;
            };
        };
        readonly CreateHostedContinuationRequest: {
            readonly flow_token: string;
            /**
             * Format: uri
             * @description On the Project Client's allow-list, character for character.
             */
            readonly return_uri: string;
            /** @description Handed back to return_uri as it is. */
            readonly state: string;
        };
        /** Hosted Continuation */
        readonly HostedContinuation: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                readonly continuation_token: string;
                /** Format: date-time */
                readonly expires_at: string;
            };
        };
        readonly ContinueIdentityMigrationRequest: {
            /** Format: uuid */
            readonly continuation_id: string;
            readonly continuation_token: string;
        };
        readonly LinkIdentityMigrationTransactionRequest: {
            readonly flow_token: string;
        };
        readonly RequestEmailVerificationRequest: {
            readonly flow_token: string;
        };
        readonly RequestEmailVerificationResponse: {
            readonly data: {
                /** @constant */
                readonly status: "verification_pending";
            };
        };
        readonly VerifyEmailResponse: {
            readonly data: {
                /** @constant */
                readonly status: "verified";
            };
        };
        readonly CreateUploadGrantRequest: {
            /** @description SHA-256 of the bytes to come, in lower-case hex. */
            readonly expected_sha256: string;
            /** @enum {string} */
            readonly expected_content_type: "application/pdf" | "image/gif" | "image/jpeg" | "image/png" | "text/plain";
            readonly maximum_bytes: number;
        };
        /** Upload Grant */
        readonly UploadGrant: {
            readonly data: {
                /** Format: uuid */
                readonly file_object_id: string;
                /** @description Single-use, and returned only once. */
                readonly upload_token: string;
                /** Format: date-time */
                readonly expires_at: string;
            };
        };
        readonly UploadFileResponse: {
            readonly data: {
                /** Format: uuid */
                readonly file_object_id: string;
            };
        };
        /** File Object */
        readonly FileObject: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                /** @enum {string} */
                readonly status: "pending_upload" | "quarantined" | "available" | "rejected";
                readonly rejection_reason: ("malware_detected" | "content_type_mismatch" | "image_undecodable" | "image_too_large" | "text_not_utf8" | "pdf_unsafe") | null;
            };
        };
        /** Download Grant */
        readonly DownloadGrant: {
            readonly data: {
                /** Format: uuid */
                readonly grant_id: string;
                /** Format: uri */
                readonly download_url: string;
                /** Format: date-time */
                readonly expires_at: string;
            };
        };
        readonly CreatePublicAssetRequest: {
            /** Format: uuid */
            readonly image_preset_id: string;
        };
        /** Public Asset */
        readonly PublicAsset: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                readonly version: number;
                /** Format: uri */
                readonly url: string;
                readonly sha256: string;
            };
        };
        readonly ValidateNotificationCatalogRequest: {
            readonly entries: readonly {
                readonly event_key: string;
                readonly template_key: string;
                /** @enum {string} */
                readonly channel: "email" | "fcm" | "apns" | "line" | "web_push";
                readonly purpose: string;
                readonly locale: string;
                readonly sender_profile: string;
                readonly variables: {
                    readonly [key: string]: "string" | "integer" | "number";
                };
            }[];
        };
        /** Catalog Digest */
        readonly CatalogDigest: {
            readonly data: {
                readonly entries: number;
                /** @description SHA-256 of the canonical catalog (RFC 8785), whatever the order of its entries. */
                readonly digest: string;
            };
        };
        readonly RegisterEmailDeliveryEndpointRequest: {
            /** Format: email */
            readonly address: string;
        };
        /** Email Endpoint Registration */
        readonly EmailEndpointRegistration: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                /** @enum {string} */
                readonly status: "pending" | "verified";
                /** @description Null when the address is already verified. */
                readonly verification_token: string | null;
            };
        };
        readonly VerifyEmailDeliveryEndpointRequest: {
            readonly token: string;
        };
        readonly VerifyEmailDeliveryEndpointResponse: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                /** @constant */
                readonly status: "verified";
            };
        };
        readonly CreateNotificationIntentRequest: {
            /** Format: uuid */
            readonly sender_profile_id: string;
            readonly template_key: string;
            readonly locale: string;
            /** Format: uuid */
            readonly endpoint_id: string;
            readonly variables: {
                readonly [key: string]: string | number;
            };
            /** @description Makes the mail a marketing mail with one-click unsubscribe. */
            readonly marketing_purpose?: string | null;
        };
        /** Notification Intent */
        readonly NotificationIntent: {
            readonly data: {
                /** Format: uuid */
                readonly intent_id: string;
                /** Format: uuid */
                readonly delivery_id: string;
                /** @enum {string} */
                readonly status: "pending" | "sending" | "sent" | "failed";
            };
        };
        readonly CreateChannelNotificationIntentRequest: {
            /** Format: uuid */
            readonly sender_profile_id: string;
            readonly template_key: string;
            readonly locale: string;
            /** Format: uuid */
            readonly endpoint_id: string;
            readonly variables: {
                readonly [key: string]: string | number;
            };
            readonly purpose: string;
        };
        readonly RegisterDeliveryEndpointRequest: {
            /** @enum {string} */
            readonly channel: "fcm" | "apns" | "web_push";
            /** @description The provider token; for web_push the JSON of the PushSubscription. */
            readonly identifier: string;
        };
        /** Channel Delivery Endpoint */
        readonly ChannelDeliveryEndpoint: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                /** @enum {string} */
                readonly channel: "fcm" | "apns" | "web_push" | "line";
                /** @enum {string} */
                readonly status: "pending" | "verified" | "verification_failed" | "verification_locked" | "revoked";
                readonly verified_at: string | null;
                readonly consents: readonly {
                    readonly purpose: string;
                    readonly granted: boolean;
                }[];
            };
        };
        readonly SetDeliveryConsentRequest: {
            readonly granted: boolean;
        };
        /** Notification Delivery */
        readonly NotificationDelivery: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                /** @enum {string} */
                readonly channel: "email" | "fcm" | "apns" | "line" | "web_push";
                /** @enum {string} */
                readonly status: "pending" | "sending" | "sent" | "failed";
                readonly attempts: number;
                /** @description Null until a provider has answered. */
                readonly provider_status: string | null;
                /** @description Null when no error occurred. */
                readonly last_error_code: string | null;
            };
        };
        readonly CreateProjectAuditRequest: {
            readonly actor_id: string;
            readonly action: string;
            readonly resource_type: string;
            readonly resource_id: string;
            /** @enum {string} */
            readonly outcome: "succeeded" | "failed" | "denied";
        };
        /** Created Id */
        readonly CreatedId: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
            };
        };
        readonly PublishDomainEventRequest: {
            readonly type: string;
            readonly schema_version: number;
            /** @description The caller's own JSON, kept as it is. */
            readonly data: {
                readonly [key: string]: unknown;
            };
            /** @description Given together with sequence, or not at all. */
            readonly stream_id?: string | null;
            /** @description The event's place in its stream; events may arrive in any order. */
            readonly sequence?: number | null;
            readonly occurred_at?: string | null;
        } | {
            readonly stream_id: string;
            readonly sequence: number;
        } | {
            readonly stream_id?: null;
            readonly sequence?: null;
        };
        /** Domain Event Envelope */
        readonly DomainEventEnvelope: {
            readonly data: {
                /** Format: uuid */
                readonly id: string;
                /** Format: uuid */
                readonly project_client_id: string;
                readonly type: string;
                readonly schema_version: number;
                readonly data: {
                    readonly [key: string]: unknown;
                };
                readonly stream_id: string | null;
                readonly sequence: number | null;
                readonly occurred_at: string | null;
                /** Format: date-time */
                readonly published_at: string;
            };
        };
        readonly RegisterScheduledOperationRequest: {
            readonly name: string;
            /**
             * Format: uri
             * @description Called with POST; https, and loopback only in development and sandbox.
             */
            readonly url: string;
            /** @description Signs every call (Standard Webhooks). Shown nowhere again. */
            readonly secret: string;
            /** @default 5 */
            readonly max_attempts: number;
        };
        readonly RecordViewableImpressionRequest: {
            /** @description The signed ad decision token. */
            readonly token: string;
            readonly visible_ratio_basis_points: number;
            readonly duration_milliseconds: number;
        };
        /** Viewable Impression Result */
        readonly ViewableImpressionResult: {
            readonly data: {
                /** @description False when this token was recorded before. */
                readonly recorded: boolean;
                /** @description Amount charged, in minor currency units. */
                readonly charged_minor: number;
                readonly destination_url: string | null;
                readonly attribution_token?: string | null;
            };
        };
    };
    responses: {
        /** @description - `internal_error`: Something failed on our side; quote the correlation id. */
        readonly InternalError500: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                    };
                };
            };
        };
        /** @description - `dependency_unavailable`: A part of the platform this operation needs is unavailable; try again shortly. */
        readonly DependencyUnavailable503: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "dependency_unavailable";
                    };
                };
            };
        };
        /** @description - `deadline_exceeded`: The operation did not finish in time; retry with the same Idempotency-Key. */
        readonly DeadlineExceeded504: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "deadline_exceeded";
                    };
                };
            };
        };
        /**
         * @description - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running.
         */
        readonly IdempotencyKeyReusedOrIdempotencyInProgress409: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "idempotency_key_reused" | "idempotency_in_progress";
                    };
                };
            };
        };
        /** @description - `payload_too_large`: The request body is larger than this operation accepts. */
        readonly PayloadTooLarge413: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                    };
                };
            };
        };
        /** @description - `unsupported_media_type`: The request body is sent with a media type this operation does not accept. */
        readonly UnsupportedMediaType415: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                    };
                };
            };
        };
        /** @description - `contract_violation`: The request violates the contract; details.violations lists every place. */
        readonly ContractViolation422: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "contract_violation";
                    };
                };
            };
        };
        /** @description - `unauthenticated`: The credential is missing, malformed, unknown, expired or revoked. */
        readonly Unauthenticated401: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "unauthenticated";
                    };
                };
            };
        };
        /**
         * @description - `insufficient_scope`: The credential lacks the scope named in details.required_scope.
         *     - `project_client_disabled`: The Project Client has been disabled by an operator.
         */
        readonly InsufficientScopeOrProjectClientDisabled403: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "insufficient_scope" | "project_client_disabled";
                    };
                };
            };
        };
        /** @description - `platform_quota_exceeded`: The Project Client's hard quota is reached; see details and Retry-After. */
        readonly PlatformQuotaExceeded429: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["QuotaError"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "platform_quota_exceeded";
                    };
                };
            };
        };
        /** @description - `idempotency_in_progress`: The first request with this Idempotency-Key is still running. */
        readonly IdempotencyInProgress409: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "idempotency_in_progress";
                    };
                };
            };
        };
        /** @description - `identity_migration_transaction_not_found`: No such Identity Migration Transaction in this Project Client. */
        readonly IdentityMigrationTransactionNotFound404: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "identity_migration_transaction_not_found";
                    };
                };
            };
        };
        /** @description - `payload_too_large`: The request body is larger than this operation accepts. */
        readonly PayloadTooLarge413Page: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/html": unknown;
            };
        };
        /** @description - `unsupported_media_type`: The request body is sent with a media type this operation does not accept. */
        readonly UnsupportedMediaType415Page: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/html": unknown;
            };
        };
        /** @description - `contract_violation`: The request violates the contract; details.violations lists every place. */
        readonly ContractViolation422Page: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/html": unknown;
            };
        };
        /** @description - `internal_error`: Something failed on our side; quote the correlation id. */
        readonly InternalError500Page: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/html": unknown;
            };
        };
        /** @description - `dependency_unavailable`: A part of the platform this operation needs is unavailable; try again shortly. */
        readonly DependencyUnavailable503Page: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/html": unknown;
            };
        };
        /** @description - `deadline_exceeded`: The operation did not finish in time; retry with the same Idempotency-Key. */
        readonly DeadlineExceeded504Page: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/html": unknown;
            };
        };
        /** @description - `recent_authentication_required`: The Platform Session was authenticated too long ago; sign in again. */
        readonly RecentAuthenticationRequired403: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "recent_authentication_required";
                    };
                };
            };
        };
        /**
         * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
         *     - `verification_link_invalid`: The verification link is wrong, used or has expired.
         */
        readonly ContractViolationOrVerificationLinkInvalid422: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "contract_violation" | "verification_link_invalid";
                    };
                };
            };
        };
        /**
         * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
         *     - `delivery_endpoint_not_found`: No such Delivery Endpoint in this Project Client.
         */
        readonly ContractViolationOrDeliveryEndpointNotFound422: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "contract_violation" | "delivery_endpoint_not_found";
                    };
                };
            };
        };
        /**
         * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
         *     - `notification_delivery_not_found`: No such delivery in this Project Client.
         */
        readonly ContractViolationOrNotificationDeliveryNotFound422: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "contract_violation" | "notification_delivery_not_found";
                    };
                };
            };
        };
        /**
         * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
         *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
         */
        readonly ContractViolationOrIdempotencyKeyReused422: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"] & {
                    readonly error?: {
                        /** @enum {unknown} */
                        readonly code?: "contract_violation" | "idempotency_key_reused";
                    };
                };
            };
        };
    };
    parameters: {
        /** @description Taken over into logs and the answer; made by the service when absent. */
        readonly CorrelationId: string;
        /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
        readonly IdempotencyKey120: string;
        /** @description Names this request, so that a repeat of it does nothing twice: 1 to 255 printable ASCII characters without space. */
        readonly IdempotencyKey255: string;
    };
    requestBodies: never;
    headers: {
        /** @description The correlation id of this request. */
        readonly CorrelationId: string;
        /** @description `true` when this is the outcome of an earlier request. */
        readonly IdempotencyReplayed: "true";
        /** @description What is left of api_traffic: `"api_traffic";r=5999;t=42`. */
        readonly RateLimit: string;
        /** @description The api_traffic quota: `"api_traffic";q=6000;w=60`. */
        readonly RateLimitPolicy: string;
        /** @description Seconds to wait before the next try. */
        readonly RetryAfter: number;
        /** @description The scheme to authenticate with: `Bearer`. */
        readonly WwwAuthenticate: string;
        /** @description Where the browser goes on. */
        readonly Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly "edge.getHealth": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "status": "ok",
                     *         "release": "0.1.0",
                     *         "components": [
                     *           {
                     *             "name": "identity-svc",
                     *             "status": "ok"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "edge.noop": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 255 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey255"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "money": {
                 *         "currency": "JPY",
                 *         "minor": 1200
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["NoopRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 202: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "money": {
                     *           "currency": "JPY",
                     *           "minor": 1200
                     *         },
                     *         "status": "queued"
                     *       },
                     *       "meta": {
                     *         "release": "0.1.0",
                     *         "idempotency_key": "check-1",
                     *         "correlation_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "replayed": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["NoopResult"];
                };
            };
            readonly 409: components["responses"]["IdempotencyKeyReusedOrIdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            readonly 422: components["responses"]["ContractViolation422"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "identity.getProjectClient": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "name": "Shop",
                     *         "environment": "production",
                     *         "scopes": [
                     *           "clients:read",
                     *           "files:write"
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ProjectClient"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 422: components["responses"]["ContractViolation422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "identity.createIdentityMigrationTransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "project_client_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                 *       "legacy_subject": "member-20417",
                 *       "email": "hanako@example.com",
                 *       "locale": "ja",
                 *       "correlation_id": "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
                 *       "expires_at": "2026-07-01T09:30:00+09:00"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateIdentityMigrationTransactionRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 201: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_client_id": "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10",
                     *         "legacy_subject": "member-20417",
                     *         "email": "hanako@example.com",
                     *         "locale": "ja",
                     *         "correlation_id": "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
                     *         "expires_at": "2026-07-01T00:30:00.000Z",
                     *         "status": "pending",
                     *         "account_id": null,
                     *         "flow_token": "0d9c8b7a6f5e4d3c2b1a09f8e7d6c5b40d9c8b7a6f5e4d3c2b1a09f8e7d6c5b4"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreatedIdentityMigrationTransaction"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `project_client_mismatch`: project_client_id is not the calling Project Client.
             *     - `identity_migration_transaction_expired`: The transaction has passed its expires_at.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "project_client_mismatch" | "identity_migration_transaction_expired";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "identity.getIdentityMigrationTransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10 */
                readonly transactionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_client_id": "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10",
                     *         "legacy_subject": "member-20417",
                     *         "email": "hanako@example.com",
                     *         "locale": "ja",
                     *         "correlation_id": "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
                     *         "expires_at": "2026-07-01T00:30:00.000Z",
                     *         "status": "pending",
                     *         "account_id": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["IdentityMigrationTransaction"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 404: components["responses"]["IdentityMigrationTransactionNotFound404"];
            readonly 422: components["responses"]["ContractViolation422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "identity.createHostedContinuation": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path: {
                /** @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10 */
                readonly transactionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "flow_token": "5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251",
                 *       "return_uri": "https://shop.example.com/migrated",
                 *       "state": "af0ifjsldkj"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateHostedContinuationRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 201: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "continuation_token": "0d9c8b7a6f5e4d3c2b1a09f8e7d6c5b40d9c8b7a6f5e4d3c2b1a09f8e7d6c5b4",
                     *         "expires_at": "2026-07-01T00:30:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["HostedContinuation"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `identity_migration_transaction_not_found`: No such Identity Migration Transaction in this Project Client.
             *     - `identity_migration_transaction_expired`: The transaction has passed its expires_at.
             *     - `identity_migration_state_conflict`: The transaction is not in a state that allows this.
             *     - `flow_token_invalid`: The flow token is not this transaction's.
             *     - `flow_token_locked`: Too many wrong flow tokens were tried; create a new transaction.
             *     - `return_uri_not_allowed`: return_uri is not on the Project Client's allow-list.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "identity_migration_transaction_not_found" | "identity_migration_transaction_expired" | "identity_migration_state_conflict" | "flow_token_invalid" | "flow_token_locked" | "return_uri_not_allowed";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "identity.continueIdentityMigration": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "continuation_id": "01890a5d-ac9e-7247-90af-6e8b2c4d9a97",
                 *       "continuation_token": "5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251"
                 *     }
                 */
                readonly "application/x-www-form-urlencoded": components["schemas"]["ContinueIdentityMigrationRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 303: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 413: components["responses"]["PayloadTooLarge413Page"];
            readonly 415: components["responses"]["UnsupportedMediaType415Page"];
            readonly 422: components["responses"]["ContractViolation422Page"];
            readonly 500: components["responses"]["InternalError500Page"];
            readonly 503: components["responses"]["DependencyUnavailable503Page"];
            readonly 504: components["responses"]["DeadlineExceeded504Page"];
        };
    };
    readonly "identity.linkIdentityMigrationTransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10 */
                readonly transactionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "flow_token": "5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251"
                 *     }
                 */
                readonly "application/json": components["schemas"]["LinkIdentityMigrationTransactionRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_client_id": "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10",
                     *         "legacy_subject": "member-20417",
                     *         "email": "hanako@example.com",
                     *         "locale": "ja",
                     *         "correlation_id": "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
                     *         "expires_at": "2026-07-01T00:30:00.000Z",
                     *         "status": "link_pending",
                     *         "account_id": "01890a5d-ac9f-7358-81b0-7f9c3d5e0ba8"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["IdentityMigrationTransaction"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["RecentAuthenticationRequired403"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `identity_migration_transaction_not_found`: No such Identity Migration Transaction in this Project Client.
             *     - `identity_migration_transaction_expired`: The transaction has passed its expires_at.
             *     - `identity_migration_state_conflict`: The transaction is not in a state that allows this.
             *     - `flow_token_invalid`: The flow token is not this transaction's.
             *     - `flow_token_locked`: Too many wrong flow tokens were tried; create a new transaction.
             *     - `email_not_verified`: The account has no email verified since the transaction was created.
             *     - `account_already_linked`: Another account, or this legacy subject already, is linked.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "identity_migration_transaction_not_found" | "identity_migration_transaction_expired" | "identity_migration_state_conflict" | "flow_token_invalid" | "flow_token_locked" | "email_not_verified" | "account_already_linked";
                        };
                    };
                };
            };
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "identity.confirmLink": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10 */
                readonly transactionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_client_id": "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10",
                     *         "legacy_subject": "member-20417",
                     *         "email": "hanako@example.com",
                     *         "locale": "ja",
                     *         "correlation_id": "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
                     *         "expires_at": "2026-07-01T00:30:00.000Z",
                     *         "status": "completed",
                     *         "account_id": "01890a5d-ac9f-7358-81b0-7f9c3d5e0ba8"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["IdentityMigrationTransaction"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `identity_migration_transaction_not_found`: No such Identity Migration Transaction in this Project Client.
             *     - `identity_migration_transaction_expired`: The transaction has passed its expires_at.
             *     - `identity_migration_state_conflict`: The transaction is not in a state that allows this.
             *     - `account_already_linked`: Another account, or this legacy subject already, is linked.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "identity_migration_transaction_not_found" | "identity_migration_transaction_expired" | "identity_migration_state_conflict" | "account_already_linked";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "identity.requestEmailVerification": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10 */
                readonly transactionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "flow_token": "5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RequestEmailVerificationRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 202: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "status": "verification_pending"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["RequestEmailVerificationResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["RecentAuthenticationRequired403"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `identity_migration_transaction_not_found`: No such Identity Migration Transaction in this Project Client.
             *     - `identity_migration_transaction_expired`: The transaction has passed its expires_at.
             *     - `identity_migration_state_conflict`: The transaction is not in a state that allows this.
             *     - `flow_token_invalid`: The flow token is not this transaction's.
             *     - `flow_token_locked`: Too many wrong flow tokens were tried; create a new transaction.
             *     - `email_not_owned`: The account does not own the asserted email address.
             *     - `verification_limit_reached`: The transaction has had its ten verification mails.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "identity_migration_transaction_not_found" | "identity_migration_transaction_expired" | "identity_migration_state_conflict" | "flow_token_invalid" | "flow_token_locked" | "email_not_owned" | "verification_limit_reached";
                        };
                    };
                };
            };
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "identity.verifyEmail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10 */
                readonly transactionId: string;
                /** @example 5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251 */
                readonly token: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "status": "verified"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["VerifyEmailResponse"];
                };
            };
            readonly 422: components["responses"]["ContractViolationOrVerificationLinkInvalid422"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "files.createUploadGrant": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "expected_sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                 *       "expected_content_type": "text/plain",
                 *       "maximum_bytes": 1024
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateUploadGrantRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "file_object_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "upload_token": "0d9c8b7a6f5e4d3c2b1a09f8e7d6c5b40d9c8b7a6f5e4d3c2b1a09f8e7d6c5b4",
                     *         "expires_at": "2026-07-01T00:30:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["UploadGrant"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `upload_grant_already_issued`: This Idempotency-Key already issued a grant; its token is returned only once.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "upload_grant_already_issued";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "files.uploadFile": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @example 5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251 */
                readonly uploadToken: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": unknown;
                readonly "application/pdf": unknown;
                readonly "image/gif": unknown;
                readonly "image/jpeg": unknown;
                readonly "image/png": unknown;
                readonly "text/plain": unknown;
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "file_object_id": "01890a5d-ac96-774b-bcce-b302099a8057"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["UploadFileResponse"];
                };
            };
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `upload_token_invalid`: The upload token is wrong, used or has expired; obtain a new grant.
             *     - `upload_checksum_mismatch`: The uploaded bytes do not have the declared SHA-256.
             *     - `upload_too_large`: The upload is larger than the grant's maximum_bytes.
             *     - `upload_content_type_mismatch`: The upload's content type is not the declared one.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "upload_token_invalid" | "upload_checksum_mismatch" | "upload_too_large" | "upload_content_type_mismatch";
                        };
                    };
                };
            };
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "files.completeFileObject": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /** @example 01890a5d-ac98-7c21-8f4e-2b6a9d0e4c31 */
                readonly fileObjectId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "status": "available",
                     *         "rejection_reason": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["FileObject"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `file_object_not_found`: No such File Object in this Project Client.
             *     - `file_object_not_uploaded`: No bytes have been uploaded for this File Object yet.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "file_object_not_found" | "file_object_not_uploaded";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "files.createDownloadGrant": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path: {
                /** @example 01890a5d-ac98-7c21-8f4e-2b6a9d0e4c31 */
                readonly fileObjectId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "grant_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "download_url": "https://platform.example.com/file-downloads/0d9c8b7a6f5e4d3c2b1a09f8e7d6c5b40d9c8b7a6f5e4d3c2b1a09f8e7d6c5b4",
                     *         "expires_at": "2026-07-01T00:30:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DownloadGrant"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `file_object_not_found`: No such File Object in this Project Client.
             *     - `file_object_not_available`: The File Object is not available.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "file_object_not_found" | "file_object_not_available";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "files.createPublicAsset": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path: {
                /** @example 01890a5d-ac98-7c21-8f4e-2b6a9d0e4c31 */
                readonly fileObjectId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "image_preset_id": "01890a5d-ac9c-7025-9e8d-4c6f0a2b7e75"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreatePublicAssetRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "version": 1,
                     *         "url": "https://platform.example.com/public-assets/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.webp",
                     *         "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PublicAsset"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `file_object_not_found`: No such File Object in this Project Client.
             *     - `file_object_not_available`: The File Object is not available.
             *     - `file_object_not_image`: The File Object is not an image.
             *     - `image_preset_not_found`: No such approved image preset.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "file_object_not_found" | "file_object_not_available" | "file_object_not_image" | "image_preset_not_found";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.validateNotificationCatalog": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "entries": [
                 *         {
                 *           "event_key": "order.shipped",
                 *           "template_key": "order-shipped",
                 *           "channel": "email",
                 *           "purpose": "transactional.order",
                 *           "locale": "en",
                 *           "sender_profile": "shop",
                 *           "variables": {
                 *             "order_number": "string",
                 *             "parcels": "integer"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["ValidateNotificationCatalogRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "entries": 1,
                     *         "digest": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CatalogDigest"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            readonly 422: components["responses"]["ContractViolation422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.registerEmailDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "address": "hanako@example.com"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RegisterEmailDeliveryEndpointRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "status": "pending",
                     *         "verification_token": "0d9c8b7a6f5e4d3c2b1a09f8e7d6c5b40d9c8b7a6f5e4d3c2b1a09f8e7d6c5b4"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["EmailEndpointRegistration"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            readonly 422: components["responses"]["ContractViolation422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.verifyEmailDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /** @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42 */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251"
                 *     }
                 */
                readonly "application/json": components["schemas"]["VerifyEmailDeliveryEndpointRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "status": "verified"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["VerifyEmailDeliveryEndpointResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `delivery_endpoint_not_found`: No such Delivery Endpoint in this Project Client.
             *     - `verification_token_invalid`: The verification token is wrong or was used.
             *     - `verification_token_expired`: The verification token has expired; register again.
             *     - `verification_locked`: Too many wrong verification tokens were tried; register again.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "delivery_endpoint_not_found" | "verification_token_invalid" | "verification_token_expired" | "verification_locked";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.createNotificationIntent": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "sender_profile_id": "01890a5d-ac9b-7f14-8d7c-3b5e9f1a6d64",
                 *       "template_key": "order-shipped",
                 *       "locale": "en",
                 *       "endpoint_id": "01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42",
                 *       "variables": {
                 *         "order_number": "A-1042",
                 *         "parcels": 2
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateNotificationIntentRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "intent_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "delivery_id": "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10",
                     *         "status": "pending"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["NotificationIntent"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `delivery_endpoint_not_found`: No such Delivery Endpoint in this Project Client.
             *     - `delivery_endpoint_not_verified`: The Delivery Endpoint has not been verified.
             *     - `sender_profile_not_found`: No such sender profile in this Project Client.
             *     - `template_not_found`: No template has this key, channel and locale.
             *     - `template_variables_mismatch`: The variables are not those the template declares; details.violations lists them.
             *     - `channel_mismatch`: Sender profile, template and endpoint are not of one channel.
             *     - `consent_withdrawn`: The recipient has unsubscribed from this purpose.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "delivery_endpoint_not_found" | "delivery_endpoint_not_verified" | "sender_profile_not_found" | "template_not_found" | "template_variables_mismatch" | "channel_mismatch" | "consent_withdrawn";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.createChannelNotificationIntent": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "sender_profile_id": "01890a5d-ac9b-7f14-8d7c-3b5e9f1a6d64",
                 *       "endpoint_id": "01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42",
                 *       "template_key": "order-shipped",
                 *       "locale": "en",
                 *       "purpose": "transactional.order",
                 *       "variables": {
                 *         "order_number": "A-1042",
                 *         "parcels": 2
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateChannelNotificationIntentRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "intent_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "delivery_id": "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10",
                     *         "status": "pending"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["NotificationIntent"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `delivery_endpoint_not_found`: No such Delivery Endpoint in this Project Client.
             *     - `delivery_endpoint_not_verified`: The Delivery Endpoint has not been verified.
             *     - `delivery_endpoint_revoked`: The Delivery Endpoint has been revoked.
             *     - `sender_profile_not_found`: No such sender profile in this Project Client.
             *     - `template_not_found`: No template has this key, channel and locale.
             *     - `template_variables_mismatch`: The variables are not those the template declares; details.violations lists them.
             *     - `channel_mismatch`: Sender profile, template and endpoint are not of one channel.
             *     - `consent_required`: The endpoint has not granted consent for this purpose.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "delivery_endpoint_not_found" | "delivery_endpoint_not_verified" | "delivery_endpoint_revoked" | "sender_profile_not_found" | "template_not_found" | "template_variables_mismatch" | "channel_mismatch" | "consent_required";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.registerDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "channel": "fcm",
                 *       "identifier": "dGVzdC1yZWdpc3RyYXRpb24tdG9rZW4:APA91bH"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RegisterDeliveryEndpointRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "channel": "fcm",
                     *         "status": "pending",
                     *         "verified_at": null,
                     *         "consents": []
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            readonly 422: components["responses"]["ContractViolation422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.verifyDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /** @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42 */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251"
                 *     }
                 */
                readonly "application/json": components["schemas"]["VerifyEmailDeliveryEndpointRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "channel": "fcm",
                     *         "status": "verified",
                     *         "verified_at": "2026-07-01T00:30:00.000Z",
                     *         "consents": [
                     *           {
                     *             "purpose": "transactional.order",
                     *             "granted": true
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `delivery_endpoint_not_found`: No such Delivery Endpoint in this Project Client.
             *     - `delivery_endpoint_revoked`: The Delivery Endpoint has been revoked.
             *     - `verification_token_invalid`: The verification token is wrong or was used.
             *     - `verification_token_expired`: The verification token has expired; register again.
             *     - `verification_locked`: Too many wrong verification tokens were tried; register again.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "delivery_endpoint_not_found" | "delivery_endpoint_revoked" | "verification_token_invalid" | "verification_token_expired" | "verification_locked";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.getDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /** @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42 */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "channel": "fcm",
                     *         "status": "verified",
                     *         "verified_at": "2026-07-01T00:30:00.000Z",
                     *         "consents": [
                     *           {
                     *             "purpose": "transactional.order",
                     *             "granted": true
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 422: components["responses"]["ContractViolationOrDeliveryEndpointNotFound422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.revokeDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /** @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42 */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "channel": "fcm",
                     *         "status": "revoked",
                     *         "verified_at": "2026-07-01T00:30:00.000Z",
                     *         "consents": [
                     *           {
                     *             "purpose": "transactional.order",
                     *             "granted": false
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 422: components["responses"]["ContractViolationOrDeliveryEndpointNotFound422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.setDeliveryConsent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /** @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42 */
                readonly endpointId: string;
                /** @example transactional.order */
                readonly purpose: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "granted": true
                 *     }
                 */
                readonly "application/json": components["schemas"]["SetDeliveryConsentRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "channel": "fcm",
                     *         "status": "verified",
                     *         "verified_at": "2026-07-01T00:30:00.000Z",
                     *         "consents": [
                     *           {
                     *             "purpose": "transactional.order",
                     *             "granted": true
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `delivery_endpoint_not_found`: No such Delivery Endpoint in this Project Client.
             *     - `delivery_endpoint_revoked`: The Delivery Endpoint has been revoked.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "delivery_endpoint_not_found" | "delivery_endpoint_revoked";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "notify.getNotificationDelivery": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /** @example 01890a5d-ac9a-7e03-9c6b-1a4d8e2f7c53 */
                readonly deliveryId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "channel": "fcm",
                     *         "status": "sent",
                     *         "attempts": 1,
                     *         "provider_status": "accepted",
                     *         "last_error_code": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["NotificationDelivery"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 422: components["responses"]["ContractViolationOrNotificationDeliveryNotFound422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "events.createProjectAudit": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "actor_id": "staff:42",
                 *       "action": "order.refund",
                 *       "resource_type": "order",
                 *       "resource_id": "A-1042",
                 *       "outcome": "succeeded"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateProjectAuditRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 201: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreatedId"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            readonly 422: components["responses"]["ContractViolationOrIdempotencyKeyReused422"];
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "events.publishDomainEvent": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "order.shipped",
                 *       "schema_version": 1,
                 *       "data": {
                 *         "order_number": "A-1042",
                 *         "parcels": 2
                 *       },
                 *       "stream_id": "order-A-1042",
                 *       "sequence": 3,
                 *       "occurred_at": "2026-07-01T09:30:00+09:00"
                 *     }
                 */
                readonly "application/json": components["schemas"]["PublishDomainEventRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_client_id": "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10",
                     *         "type": "order.shipped",
                     *         "schema_version": 1,
                     *         "data": {
                     *           "order_number": "A-1042",
                     *           "parcels": 2
                     *         },
                     *         "stream_id": "order-A-1042",
                     *         "sequence": 3,
                     *         "occurred_at": "2026-07-01T00:30:00.000Z",
                     *         "published_at": "2026-07-01T00:30:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DomainEventEnvelope"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `stream_sequence_conflict`: The stream already has another event at this sequence.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "stream_sequence_conflict";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "events.registerScheduledOperation": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /** @description Names this request, so that a repeat of it does nothing twice: 1 to 120 printable ASCII characters without space. */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey120"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "orders.close-stale",
                 *       "url": "https://shop.example.com/hooks/close-stale-orders",
                 *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                 *       "max_attempts": 5
                 *     }
                 */
                readonly "application/json": components["schemas"]["RegisterScheduledOperationRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreatedId"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated401"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled403"];
            readonly 409: components["responses"]["IdempotencyInProgress409"];
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `idempotency_key_reused`: The Idempotency-Key was used before with a different request.
             *     - `scheduled_url_not_allowed`: The url may not be called from this environment; details.reason says why.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "idempotency_key_reused" | "scheduled_url_not_allowed";
                        };
                    };
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded429"];
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
    readonly "ads.recordViewableImpression": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Taken over into logs and the answer; made by the service when absent. */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJFZERTQSJ9.e30.c2ln",
                 *       "visible_ratio_basis_points": 7500,
                 *       "duration_milliseconds": 1500
                 *     }
                 */
                readonly "application/json": components["schemas"]["RecordViewableImpressionRequest"];
            };
        };
        readonly responses: {
            /** @description Success */
            readonly 200: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "recorded": true,
                     *         "charged_minor": 2,
                     *         "destination_url": "https://shop.example.com/summer",
                     *         "attribution_token": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ViewableImpressionResult"];
                };
            };
            readonly 413: components["responses"]["PayloadTooLarge413"];
            readonly 415: components["responses"]["UnsupportedMediaType415"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every place.
             *     - `decision_token_invalid`: The ad decision token is not one this service signed.
             *     - `decision_token_expired`: The ad decision token has expired.
             *     - `viewability_not_met`: The impression does not meet the viewability threshold of its format.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"] & {
                        readonly error?: {
                            /** @enum {unknown} */
                            readonly code?: "contract_violation" | "decision_token_invalid" | "decision_token_expired" | "viewability_not_met";
                        };
                    };
                };
            };
            readonly 500: components["responses"]["InternalError500"];
            readonly 503: components["responses"]["DependencyUnavailable503"];
            readonly 504: components["responses"]["DeadlineExceeded504"];
        };
    };
}
