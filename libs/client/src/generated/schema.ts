// Generated from apps/gateway/openapi.json by libs/client/generate.ts. Do not edit.
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
         * @description Responds within a second, even if every service behind the gateway hangs. The HTTP status is always 200; the body contains the health status.
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
         * Validate a request against the contract, without side effects
         * @description A repeat with the same key and payload replays the first response, with `meta.replayed` true. The same key with a different payload is rejected with 409.
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
         * @description Create a transaction only after you have recently authenticated the legacy subject. Pass the flow_token of the response to the registration or linking flow. If you lost the response, repeat the identical request to get it again.
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
         * @description Pass on only the continuation id and the continuation_token, in a direct form POST to /identity-migration/continue. If you lost the response, repeat the identical request to get the same continuation again.
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
         * @description Binds the continuation to the first browser that posts it, and redirects that browser to the hosted pages. Errors are HTML pages.
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
         * @description The account must have an email Login Identifier that was verified after the transaction was created. A repeat by the same account returns the existing link.
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
         * @description Call this operation after your backend has durably recorded the account id. You can repeat the request safely.
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
         * Email a verification link to the asserted address
         * @description The account must own the asserted address. A repeat immediately invalidates the previous link. The emails of a transaction are at least 30 seconds apart; if you ask earlier, the email with the newest link is sent when the 30 seconds are over. A transaction can have ten emails.
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
         * Follow an emailed verification link
         * @description Browsers (`Accept: text/html`) get a page. HEAD does not consume the link.
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
         * @description The upload token is returned only once. A repeat with the same key is rejected. If you lost the response, ask for a new grant with a new key.
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
         * @description The token is consumed before the first byte is read, even if the upload fails. If you do not know whether an upload succeeded, obtain a new grant. Pages of any origin may upload (CORS, without credentials). A preflight request does not consume the token.
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
         * @description Returns the current classification. You can repeat the request safely.
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
         * @description If you lost the response, repeat the request with the same key and File Object to get it again.
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
        /**
         * Publish an image under an approved preset
         * @description The preset determines the size and format of the image. Publishing removes metadata, such as the place where a photo was taken.
         */
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
         * @description Validates the catalog without applying it. Entries are unique by event_key, channel and locale. Operators see which entries of the most recently validated catalog have no template, sender profile or consent yet.
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
         * @description Creates the endpoint, or returns the existing one with the same normalized address (trimmed, NFC, lower case).
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
         * @description The token can be used once.
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
         * @description If you repeat the request, use the same key and an unchanged body.
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
         * @description The endpoint must have granted consent for the purpose. If you repeat the request, use the same key and an unchanged body.
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
         * @description The same Project Client, channel and provider token always refer to the same endpoint. The platform sends the verification token through the channel.
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
         * @description Consumes the current token. If you did not get a clear response, read the endpoint before you try again.
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
         * @description You can repeat the request safely; the endpoint stays revoked.
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
         * @description You can repeat the request safely; the same value leaves the consent unchanged.
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
         * @description A Project Audit contains only opaque references, an action and an outcome. If you repeat the identical fact with the same key, the response has the same Project Audit id.
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
        /**
         * Publish a Domain Event
         * @description Once the API responds with success, the event is stored durably. It is stored once in the Project Client's log, however often you send it with the same key.
         */
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
         * @description Repeat the request with the same key only if name, url, secret and max_attempts are unchanged.
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
         * @description The signed token identifies repeated reports: an impression is recorded and charged once.
         */
        readonly post: operations["ads.recordViewableImpression"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly scheduledCall: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A scheduled operation is due
         * @description The platform sends this request to the registered url at the times that an operator has configured. Respond with a 2xx status within 15 seconds.
         */
        readonly post: operations["webhooks.scheduledCall"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly domainEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A Domain Event of a subscription
         * @description The platform sends this request to the registered url of a scheduled operation that an operator has subscribed to event types. Each event is sent at least once. Respond with a 2xx status within 15 seconds. The types of the platform's own events begin with `platform.`; see the examples.
         */
        readonly post: operations["webhooks.domainEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description Reason why the request failed. Use it for decisions in your code.
         * @enum {string}
         */
        readonly ErrorCode: "unauthenticated" | "insufficient_scope" | "recent_authentication_required" | "project_client_disabled" | "route_not_found" | "method_not_allowed" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "contract_violation" | "idempotency_key_reused" | "platform_quota_exceeded" | "internal_error" | "dependency_unavailable" | "deadline_exceeded" | "identity_migration_transaction_not_found" | "download_not_found" | "public_asset_taken_down" | "range_not_satisfiable" | "project_client_mismatch" | "identity_migration_transaction_expired" | "identity_migration_state_conflict" | "flow_token_invalid" | "flow_token_locked" | "email_not_owned" | "email_not_verified" | "account_already_linked" | "return_uri_not_allowed" | "verification_link_invalid" | "verification_limit_reached" | "upload_token_invalid" | "upload_checksum_mismatch" | "upload_too_large" | "upload_content_type_mismatch" | "upload_grant_already_issued" | "file_object_not_found" | "file_object_not_uploaded" | "file_object_not_available" | "image_preset_not_found" | "file_object_not_image" | "delivery_endpoint_not_found" | "delivery_endpoint_not_verified" | "delivery_endpoint_revoked" | "verification_token_invalid" | "verification_token_expired" | "verification_locked" | "sender_profile_not_found" | "template_not_found" | "template_variables_mismatch" | "channel_mismatch" | "consent_required" | "consent_withdrawn" | "notification_delivery_not_found" | "stream_sequence_conflict" | "scheduled_url_not_allowed" | "decision_token_invalid" | "decision_token_expired" | "viewability_not_met";
        /** @description An error answer. */
        readonly Error: {
            readonly error: components["schemas"]["ErrorBody"];
        };
        /** @description What failed. */
        readonly ErrorBody: {
            readonly code: components["schemas"]["ErrorCode"];
            /** @description Text for people. It may change. */
            readonly message: string;
            /** @description True if the same request may succeed later. */
            readonly retryable: boolean;
            /**
             * Format: uuid
             * @description The same as the header X-Correlation-ID. Quote it when you report a problem.
             */
            readonly correlation_id: string;
            /** @description Further information about the error. The fields depend on the code. */
            readonly details: {
                readonly [key: string]: unknown;
            };
        };
        /** @description The answer to a request that cannot be processed as it is. */
        readonly UnprocessableError: {
            readonly error: components["schemas"]["UnprocessableErrorBody"];
        };
        /** @description What failed. */
        readonly UnprocessableErrorBody: {
            readonly code: components["schemas"]["ErrorCode"];
            /** @description Text for people. It may change. */
            readonly message: string;
            /** @description True if the same request may succeed later. */
            readonly retryable: boolean;
            /**
             * Format: uuid
             * @description The same as the header X-Correlation-ID. Quote it when you report a problem.
             */
            readonly correlation_id: string;
            readonly details: components["schemas"]["UnprocessableErrorDetails"];
        };
        /** @description Further information about the error. The fields depend on the code. */
        readonly UnprocessableErrorDetails: {
            /** @description With `contract_violation` and `template_variables_mismatch`: all violations. */
            readonly violations?: readonly components["schemas"]["Violation"][];
            /** @description With `scheduled_url_not_allowed`: the reason why the url is not allowed. */
            readonly reason?: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description The answer to a request beyond a hard quota. */
        readonly QuotaError: {
            readonly error: components["schemas"]["QuotaErrorBody"];
        };
        /** @description Which quota is reached. */
        readonly QuotaErrorBody: {
            readonly code: components["schemas"]["ErrorCode"];
            /** @description Text for people. It may change. */
            readonly message: string;
            /** @description True if the same request may succeed later. */
            readonly retryable: boolean;
            /**
             * Format: uuid
             * @description The same as the header X-Correlation-ID. Quote it when you report a problem.
             */
            readonly correlation_id: string;
            readonly details: components["schemas"]["QuotaErrorDetails"];
        };
        /** @description The quota, and the time after which to try again. */
        readonly QuotaErrorDetails: {
            readonly resource: components["schemas"]["QuotaResource"];
            /**
             * Format: int64
             * @description Units used in the current window.
             */
            readonly used: number;
            /**
             * Format: int64
             * @description Units available per window.
             */
            readonly limit: number;
            /** @description Seconds until the next attempt can succeed. */
            readonly retry_after_seconds: number;
        };
        /**
         * @description Resource that a hard quota limits.
         * @enum {string}
         */
        readonly QuotaResource: "api_traffic" | "storage_bytes" | "deliveries" | "events" | "scheduled_invocations" | "realtime_connections" | "payment_transactions" | "audit_retention";
        /** @description One violation of the contract. */
        readonly Violation: {
            /**
             * @description JSON Pointer into the body, or `path:name` or `header:Name` for a parameter.
             * @example /variables/order_number
             * @example path:transactionId
             * @example header:Idempotency-Key
             */
            readonly path: string;
            readonly code: components["schemas"]["ViolationCode"];
            /**
             * @description Text for people.
             * @example must be at most 120 characters long
             */
            readonly message: string;
        };
        /**
         * @description The kind of violation.
         * @enum {string}
         */
        readonly ViolationCode: "required" | "unknown_property" | "invalid_type" | "invalid_value" | "invalid_format" | "too_short" | "too_long" | "too_small" | "too_big" | "not_unique" | "out_of_range" | "too_many" | "too_large";
        readonly HealthResponse: {
            readonly data: components["schemas"]["Health"];
        };
        /** @description The health of the platform and its services. */
        readonly Health: {
            readonly status: components["schemas"]["HealthStatus"];
            /** @description Version of the API contract. */
            readonly release: string;
            /** @description The services behind the gateway. */
            readonly components: readonly components["schemas"]["HealthComponent"][];
        };
        /**
         * @description `ok`: everything responds. `degraded`: some parts do not respond. `down`: nothing responds.
         * @enum {string}
         */
        readonly HealthStatus: "ok" | "degraded" | "down";
        /** @description The health of one service. */
        readonly HealthComponent: {
            /** @description Name of the service, such as `files-svc`. */
            readonly name: string;
            readonly status: components["schemas"]["HealthStatus"];
        };
        /** @description An amount of money. */
        readonly Money: {
            /** @description ISO 4217 code, such as `JPY`. */
            readonly currency: string;
            /**
             * Format: int64
             * @description Amount in minor currency units.
             */
            readonly minor: number;
        };
        readonly NoopRequest: {
            readonly money: components["schemas"]["Money"];
        } & {
            readonly [key: string]: unknown;
        };
        readonly NoopResponse: {
            readonly data: components["schemas"]["NoopResult"];
            readonly meta: components["schemas"]["NoopMeta"];
        };
        /** @description The validated request. */
        readonly NoopResult: {
            readonly money: components["schemas"]["Money"];
            readonly status: components["schemas"]["NoopStatus"];
        };
        /**
         * @description Status that an actual request would have had.
         * @enum {string}
         */
        readonly NoopStatus: "queued" | "completed";
        /** @description Information about the response itself. */
        readonly NoopMeta: {
            /** @description Version of the API contract. */
            readonly release: string;
            /** @description The request's Idempotency-Key. */
            readonly idempotency_key: string;
            /**
             * Format: uuid
             * @description Correlation id of the current request, even if the response is replayed.
             */
            readonly correlation_id: string;
            /** @description True if this is the stored response of an earlier request. */
            readonly replayed: boolean;
        };
        readonly ProjectClientResponse: {
            readonly data: components["schemas"]["ProjectClient"];
        };
        /** @description The Project Client that the credential selects. */
        readonly ProjectClient: {
            /**
             * Format: uuid
             * @description Id of the Project Client.
             */
            readonly id: string;
            /** @description Display name of the Project Client. */
            readonly name: string;
            readonly environment: components["schemas"]["Environment"];
            /** @description The scopes granted to the credential. */
            readonly scopes: readonly components["schemas"]["Scope"][];
        };
        /**
         * @description What the Project Client is used for.
         * @enum {string}
         */
        readonly Environment: "development" | "sandbox" | "staging" | "production";
        /**
         * @description What a credential may do.
         * @enum {string}
         */
        readonly Scope: "notifications:write" | "clients:read" | "audit:write" | "identity-migrations:write" | "files:write" | "files:read" | "events:write" | "schedules:write";
        readonly CreateIdentityMigrationTransactionRequest: {
            /**
             * Format: uuid
             * @description Id of the Project Client that makes the request.
             */
            readonly project_client_id: string;
            /** @description Id of the person in your old user store. */
            readonly legacy_subject: string;
            /**
             * Format: email
             * @description Email address that you know for the person. The account must verify it.
             */
            readonly email: string;
            /** @description Language of the hosted pages and emails, such as `ja`. */
            readonly locale: string;
            /**
             * Format: uuid
             * @description Your own id for the migration, so that you can find it in your logs.
             */
            readonly correlation_id: string;
            /**
             * Format: date-time
             * @description Time until which an account can be linked: in the future, and at most 7 days ahead.
             */
            readonly expires_at: string;
        };
        readonly CreatedIdentityMigrationTransactionResponse: {
            readonly data: components["schemas"]["CreatedIdentityMigrationTransaction"];
        };
        /** @description A new transaction with its flow token. */
        readonly CreatedIdentityMigrationTransaction: {
            /**
             * Format: uuid
             * @description Id of the transaction.
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The Project Client whose subject migrates.
             */
            readonly project_client_id: string;
            /** @description Id of the person in your old user store. */
            readonly legacy_subject: string;
            /**
             * Format: email
             * @description The asserted email address.
             */
            readonly email: string;
            /** @description Language of the hosted pages and emails, such as `ja`. */
            readonly locale: string;
            /**
             * Format: uuid
             * @description Your own id for the migration, so that you can find it in your logs.
             */
            readonly correlation_id: string;
            /**
             * Format: date-time
             * @description Time until which an account can be linked.
             */
            readonly expires_at: string;
            readonly status: components["schemas"]["IdentityMigrationStatus"];
            /**
             * Format: uuid
             * @description Null until an account is linked.
             */
            readonly account_id: string | null;
            /** @description Secret of the transaction. It is returned only when the transaction is created. */
            readonly flow_token: string;
        };
        /**
         * @description `link_pending`: an account is linked, and the Project Backend has not yet confirmed that it recorded the link.
         * @enum {string}
         */
        readonly IdentityMigrationStatus: "pending" | "link_pending" | "completed" | "expired";
        readonly IdentityMigrationTransactionResponse: {
            readonly data: components["schemas"]["IdentityMigrationTransaction"];
        };
        /** @description The migration of one legacy subject to a Platform Account. */
        readonly IdentityMigrationTransaction: {
            /**
             * Format: uuid
             * @description Id of the transaction.
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The Project Client whose subject migrates.
             */
            readonly project_client_id: string;
            /** @description Id of the person in your old user store. */
            readonly legacy_subject: string;
            /**
             * Format: email
             * @description The asserted email address.
             */
            readonly email: string;
            /** @description Language of the hosted pages and emails, such as `ja`. */
            readonly locale: string;
            /**
             * Format: uuid
             * @description Your own id for the migration, so that you can find it in your logs.
             */
            readonly correlation_id: string;
            /**
             * Format: date-time
             * @description Time until which an account can be linked.
             */
            readonly expires_at: string;
            readonly status: components["schemas"]["IdentityMigrationStatus"];
            /**
             * Format: uuid
             * @description Null until an account is linked.
             */
            readonly account_id: string | null;
        };
        readonly CreateHostedContinuationRequest: {
            /** @description The flow_token from the response that created the transaction. */
            readonly flow_token: string;
            /**
             * Format: uri
             * @description Address to which the browser returns. It must be on the Project Client's allow-list, character for character.
             */
            readonly return_uri: string;
            /** @description Your own value, which is added unchanged to the return_uri. */
            readonly state: string;
        };
        readonly HostedContinuationResponse: {
            readonly data: components["schemas"]["HostedContinuation"];
        };
        /** @description Access to the hosted pages for one browser. */
        readonly HostedContinuation: {
            /**
             * Format: uuid
             * @description Id of the continuation.
             */
            readonly id: string;
            /** @description Secret for the form that the browser posts. It is returned only here. */
            readonly continuation_token: string;
            /**
             * Format: date-time
             * @description Time until which the browser can post the form.
             */
            readonly expires_at: string;
        };
        readonly ContinueIdentityMigrationRequest: {
            /**
             * Format: uuid
             * @description Id of the hosted continuation.
             */
            readonly continuation_id: string;
            /** @description The continuation_token of that continuation. */
            readonly continuation_token: string;
        };
        readonly LinkIdentityMigrationTransactionRequest: {
            /** @description The flow_token from the response that created the transaction. */
            readonly flow_token: string;
        };
        readonly RequestEmailVerificationRequest: {
            /** @description The flow_token from the response that created the transaction. */
            readonly flow_token: string;
        };
        readonly EmailVerificationResponse: {
            readonly data: components["schemas"]["EmailVerification"];
        };
        /** @description The state of the requested verification. */
        readonly EmailVerification: {
            /**
             * @description An email has been queued.
             * @enum {string}
             */
            readonly status: "verification_pending";
        };
        readonly VerifiedEmailResponse: {
            readonly data: components["schemas"]["VerifiedEmail"];
        };
        /** @description Result of following the link. */
        readonly VerifiedEmail: {
            /**
             * @description The address is verified for this transaction.
             * @enum {string}
             */
            readonly status: "verified";
        };
        /**
         * @description Media type of the bytes. The platform inspects the bytes to verify it.
         * @enum {string}
         */
        readonly FileContentType: "application/pdf" | "image/gif" | "image/jpeg" | "image/png" | "text/plain";
        readonly CreateUploadGrantRequest: {
            /** @description SHA-256 of the bytes that you will upload, in lower-case hex. */
            readonly expected_sha256: string;
            readonly expected_content_type: components["schemas"]["FileContentType"];
            /** @description Maximum number of bytes that you will upload. They are reserved from the quota until the upload is complete. */
            readonly maximum_bytes: number;
        };
        readonly UploadGrantResponse: {
            readonly data: components["schemas"]["UploadGrant"];
        };
        /** @description Permission for one upload. */
        readonly UploadGrant: {
            /**
             * Format: uuid
             * @description Id of the File Object that the upload creates.
             */
            readonly file_object_id: string;
            /** @description Token for a single upload. It is returned only once. */
            readonly upload_token: string;
            /**
             * Format: date-time
             * @description Time until which the token can be used.
             */
            readonly expires_at: string;
        };
        readonly UploadedFileResponse: {
            readonly data: components["schemas"]["UploadedFile"];
        };
        /** @description Confirmation that the bytes were received. */
        readonly UploadedFile: {
            /**
             * Format: uuid
             * @description Id of the File Object. It stays in quarantine until it is classified.
             */
            readonly file_object_id: string;
        };
        readonly FileObjectResponse: {
            readonly data: components["schemas"]["FileObject"];
        };
        /** @description An uploaded file and its classification. */
        readonly FileObject: {
            /**
             * Format: uuid
             * @description Id of the File Object.
             */
            readonly id: string;
            readonly status: components["schemas"]["FileObjectStatus"];
            /** @description Null unless the file is rejected. */
            readonly rejection_reason: components["schemas"]["FileRejectionReason"] | null;
        };
        /**
         * @description `quarantined`: the file is being inspected. `available`: the file can be downloaded. `rejected`: the file can never be downloaded.
         * @enum {string}
         */
        readonly FileObjectStatus: "pending_upload" | "quarantined" | "available" | "rejected";
        /**
         * @description Reason why the inspection rejected the file.
         * @enum {string}
         */
        readonly FileRejectionReason: "malware_detected" | "content_type_mismatch" | "image_undecodable" | "image_too_large" | "text_not_utf8" | "pdf_unsafe";
        readonly DownloadGrantResponse: {
            readonly data: components["schemas"]["DownloadGrant"];
        };
        /** @description Permission to download a file from a private URL. */
        readonly DownloadGrant: {
            /**
             * Format: uuid
             * @description Id of the grant.
             */
            readonly grant_id: string;
            /**
             * Format: uri
             * @description URL that returns the bytes to anyone who has it. Keep it as secret as the file.
             */
            readonly download_url: string;
            /**
             * Format: date-time
             * @description Time until which the URL can be used.
             */
            readonly expires_at: string;
        };
        readonly CreatePublicAssetRequest: {
            /**
             * Format: uuid
             * @description Id of an approved image preset. An operator gives it to you.
             */
            readonly image_preset_id: string;
        };
        readonly PublicAssetResponse: {
            readonly data: components["schemas"]["PublicAsset"];
        };
        /** @description An image that anyone can read. */
        readonly PublicAsset: {
            /**
             * Format: uuid
             * @description Id of the Public Asset.
             */
            readonly id: string;
            /**
             * Format: int64
             * @description Number of images published so far from this File Object with this preset.
             */
            readonly version: number;
            /**
             * Format: uri
             * @description URL that returns the image to anyone. Its content never changes.
             */
            readonly url: string;
            /** @description SHA-256 of the published bytes. */
            readonly sha256: string;
        };
        /** @description A notification that a project sends, on one channel and in one language. */
        readonly CatalogEntry: {
            /** @description Kind of event that the notification reports, such as `order.shipped`. */
            readonly event_key: string;
            /** @description Key of the template in the client's catalog. */
            readonly template_key: string;
            readonly channel: components["schemas"]["Channel"];
            /** @description Purpose for which the recipient gives consent, such as `transactional.order`. */
            readonly purpose: string;
            /** @description Language of the template. */
            readonly locale: string;
            /** @description Name of the sender profile. */
            readonly sender_profile: string;
            readonly variables: components["schemas"]["VariableDeclarations"];
        };
        /**
         * @description How a notification reaches its recipient.
         * @enum {string}
         */
        readonly Channel: "email" | "fcm" | "apns" | "line" | "web_push";
        /** @description The variables of the template by name, each with its type. */
        readonly VariableDeclarations: {
            readonly [key: string]: components["schemas"]["VariableType"];
        };
        /**
         * @description The type of a template variable.
         * @enum {string}
         */
        readonly VariableType: "string" | "integer" | "number";
        readonly ValidateNotificationCatalogRequest: {
            /** @description The catalog; no two entries share event_key, channel and locale. */
            readonly entries: readonly components["schemas"]["CatalogEntry"][];
        };
        readonly CatalogDigestResponse: {
            readonly data: components["schemas"]["CatalogDigest"];
        };
        /** @description Digest of a valid catalog. */
        readonly CatalogDigest: {
            /**
             * Format: int64
             * @description Number of entries.
             */
            readonly entries: number;
            /** @description SHA-256 of the canonical catalog (RFC 8785), whatever the order of its entries. */
            readonly digest: string;
        };
        readonly RegisterEmailDeliveryEndpointRequest: {
            /**
             * Format: email
             * @description The email address to send to.
             */
            readonly address: string;
        };
        readonly EmailEndpointRegistrationResponse: {
            readonly data: components["schemas"]["EmailEndpointRegistration"];
        };
        /** @description An email Delivery Endpoint and its verification token. */
        readonly EmailEndpointRegistration: {
            /**
             * Format: uuid
             * @description Id of the Delivery Endpoint.
             */
            readonly id: string;
            readonly status: components["schemas"]["EmailEndpointStatus"];
            /** @description Send this token to the address; the owner returns it to you. Null if the address is already verified. */
            readonly verification_token: string | null;
        };
        /**
         * @description `verified`: emails can be sent to the address.
         * @enum {string}
         */
        readonly EmailEndpointStatus: "pending" | "verified";
        readonly VerifyEmailDeliveryEndpointRequest: {
            /** @description The verification token of the newest registration. */
            readonly token: string;
        };
        readonly VerifiedEmailEndpointResponse: {
            readonly data: components["schemas"]["VerifiedEmailEndpoint"];
        };
        /** @description A verified email Delivery Endpoint. */
        readonly VerifiedEmailEndpoint: {
            /**
             * Format: uuid
             * @description Id of the Delivery Endpoint.
             */
            readonly id: string;
            /**
             * @description Emails can be sent to the address.
             * @enum {string}
             */
            readonly status: "verified";
        };
        /** @description Template variables by name: exactly those that the template declares. */
        readonly Variables: {
            readonly [key: string]: components["schemas"]["VariableValue"];
        };
        /** @description The value of one template variable. */
        readonly VariableValue: components["schemas"]["VariableText"] | components["schemas"]["VariableNumber"];
        /** @description A text, which may be empty. */
        readonly VariableText: string;
        /** @description A number. A number that a double cannot represent exactly is rejected. */
        readonly VariableNumber: number;
        readonly CreateNotificationIntentRequest: {
            /**
             * Format: uuid
             * @description Id of the sender profile. An operator gives it to you.
             */
            readonly sender_profile_id: string;
            /** @description Key of the template in the client's catalog. */
            readonly template_key: string;
            /** @description Language of the template. */
            readonly locale: string;
            /**
             * Format: uuid
             * @description Id of the verified Delivery Endpoint.
             */
            readonly endpoint_id: string;
            readonly variables: components["schemas"]["Variables"];
            /** @description Sends the email as a marketing email with one-click unsubscribe. */
            readonly marketing_purpose?: string | null;
        };
        readonly NotificationIntentResponse: {
            readonly data: components["schemas"]["NotificationIntent"];
        };
        /** @description An accepted notification, which the platform will send. */
        readonly NotificationIntent: {
            /**
             * Format: uuid
             * @description Id of the intent.
             */
            readonly intent_id: string;
            /**
             * Format: uuid
             * @description Id of the delivery. Use it to read the status later.
             */
            readonly delivery_id: string;
            readonly status: components["schemas"]["DeliveryStatus"];
        };
        /**
         * @description `pending`: the delivery waits for its next attempt. `sent`: the provider accepted it. `failed`: the platform has given up.
         * @enum {string}
         */
        readonly DeliveryStatus: "pending" | "sending" | "sent" | "failed";
        readonly CreateChannelNotificationIntentRequest: {
            /**
             * Format: uuid
             * @description Id of the sender profile. An operator gives it to you.
             */
            readonly sender_profile_id: string;
            /** @description Key of the template in the client's catalog. */
            readonly template_key: string;
            /** @description Language of the template. */
            readonly locale: string;
            /**
             * Format: uuid
             * @description Id of the verified Delivery Endpoint.
             */
            readonly endpoint_id: string;
            readonly variables: components["schemas"]["Variables"];
            /** @description Purpose of the notification. The endpoint must have granted consent for it. */
            readonly purpose: string;
        };
        /**
         * @description A channel for which a project can register endpoints.
         * @enum {string}
         */
        readonly RegistrableChannel: "fcm" | "apns" | "web_push";
        readonly RegisterDeliveryEndpointRequest: {
            readonly channel: components["schemas"]["RegistrableChannel"];
            /** @description The provider's token for the device. For web_push, the PushSubscription as JSON text. */
            readonly identifier: string;
        };
        readonly ChannelDeliveryEndpointResponse: {
            readonly data: components["schemas"]["ChannelDeliveryEndpoint"];
        };
        /** @description A device, browser or LINE user. Its identifier is never returned. */
        readonly ChannelDeliveryEndpoint: {
            /**
             * Format: uuid
             * @description Id of the Delivery Endpoint.
             */
            readonly id: string;
            readonly channel: components["schemas"]["EndpointChannel"];
            readonly status: components["schemas"]["DeliveryEndpointStatus"];
            /**
             * Format: date-time
             * @description Time at which the endpoint was verified. Null until then.
             */
            readonly verified_at: string | null;
            /** @description The consents that were granted or withdrawn so far. */
            readonly consents: readonly components["schemas"]["DeliveryConsent"][];
        };
        /**
         * @description How notifications reach the endpoint.
         * @enum {string}
         */
        readonly EndpointChannel: "fcm" | "apns" | "web_push" | "line";
        /**
         * @description Notifications are sent only to a `verified` endpoint. A `pending` endpoint waits for the token that was sent through its channel.
         * @enum {string}
         */
        readonly DeliveryEndpointStatus: "pending" | "verified" | "verification_failed" | "verification_locked" | "revoked";
        /** @description A recipient's consent for one purpose. */
        readonly DeliveryConsent: {
            /** @description Purpose of the consent. */
            readonly purpose: string;
            /** @description True if consent is granted, false if it was withdrawn. */
            readonly granted: boolean;
        };
        readonly SetDeliveryConsentRequest: {
            /** @description True grants the consent, false withdraws it. */
            readonly granted: boolean;
        };
        readonly NotificationDeliveryResponse: {
            readonly data: components["schemas"]["NotificationDelivery"];
        };
        /** @description The sending of one notification to one endpoint. */
        readonly NotificationDelivery: {
            /**
             * Format: uuid
             * @description Id of the delivery.
             */
            readonly id: string;
            readonly channel: components["schemas"]["Channel"];
            readonly status: components["schemas"]["DeliveryStatus"];
            /**
             * Format: int64
             * @description Number of attempts so far.
             */
            readonly attempts: number;
            /** @description Status that the provider returned. Null until it has responded. */
            readonly provider_status: string | null;
            /** @description Code of the last error. Null if no error occurred. */
            readonly last_error_code: string | null;
        };
        /**
         * @description Outcome of the action.
         * @enum {string}
         */
        readonly ProjectAuditOutcome: "succeeded" | "failed" | "denied";
        readonly CreateProjectAuditRequest: {
            /** @description Opaque reference to the person or system that acted. Do not send a name or an address. */
            readonly actor_id: string;
            /** @description The action, such as `order.refund`. */
            readonly action: string;
            /** @description Kind of resource that the action affected. */
            readonly resource_type: string;
            /** @description Opaque reference to that resource. */
            readonly resource_id: string;
            readonly outcome: components["schemas"]["ProjectAuditOutcome"];
        };
        readonly CreatedIdResponse: {
            readonly data: components["schemas"]["CreatedId"];
        };
        /** @description The id of the new record. */
        readonly CreatedId: {
            /**
             * Format: uuid
             * @description Id of the new record.
             */
            readonly id: string;
        };
        readonly PublishDomainEventRequest: {
            /** @description Kind of event, such as `order.placed`. */
            readonly type: string;
            /** @description Version of the schema that `data` follows. */
            readonly schema_version: number;
            /** @description Your own JSON, stored unchanged. */
            readonly data: {
                readonly [key: string]: unknown;
            };
            /** @description Stream that the event belongs to. Send it together with `sequence`, or send neither. */
            readonly stream_id?: string | null;
            /**
             * Format: int64
             * @description The event's place in its stream. Events of a stream may be published in any order.
             */
            readonly sequence?: number | null;
            /**
             * Format: date-time
             * @description Time at which the event happened. Omit it if the event happens now.
             */
            readonly occurred_at?: string | null;
        };
        readonly DomainEventResponse: {
            readonly data: components["schemas"]["DomainEventEnvelope"];
        };
        /** @description A Domain Event as it is stored in the log. */
        readonly DomainEventEnvelope: {
            /**
             * Format: uuid
             * @description Id of the event.
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The Project Client whose log contains the event.
             */
            readonly project_client_id: string;
            /** @description Kind of event, as it was published. */
            readonly type: string;
            /** @description Version of the schema that `data` follows. */
            readonly schema_version: number;
            /** @description The publisher's JSON, as it was sent. */
            readonly data: {
                readonly [key: string]: unknown;
            };
            /** @description The event's stream, or null if it has none. */
            readonly stream_id: string | null;
            /**
             * Format: int64
             * @description The event's place in its stream, or null if it has no stream.
             */
            readonly sequence: number | null;
            /**
             * Format: date-time
             * @description Time at which the event happened, as it was published. Null if it was not given.
             */
            readonly occurred_at: string | null;
            /**
             * Format: date-time
             * @description Time at which the platform recorded the event.
             */
            readonly published_at: string;
        };
        readonly RegisterScheduledOperationRequest: {
            /** @description Name of the operation, sent with every call. */
            readonly name: string;
            /**
             * Format: uri
             * @description Address that the platform calls with POST. It must be https. Loopback addresses are allowed only in development and sandbox.
             */
            readonly url: string;
            /** @description Secret that signs every call (Standard Webhooks). It is never shown again. */
            readonly secret: string;
            /**
             * @description Number of attempts before a call counts as failed.
             * @default 5
             */
            readonly max_attempts?: number;
        };
        readonly RecordViewableImpressionRequest: {
            /** @description The signed ad decision token. */
            readonly token: string;
            /** @description Smallest share of the ad's pixels that was in view during this time, in hundredths of a percent: 5000 is half. */
            readonly visible_ratio_basis_points: number;
            /** @description Longest uninterrupted time for which at least that share was in view. */
            readonly duration_milliseconds: number;
        };
        readonly ViewableImpressionResponse: {
            readonly data: components["schemas"]["ViewableImpressionResult"];
        };
        /** @description Result of reporting an impression. */
        readonly ViewableImpressionResult: {
            /** @description False if this token was recorded earlier. */
            readonly recorded: boolean;
            /**
             * Format: int64
             * @description Amount charged, in minor currency units.
             */
            readonly charged_minor: number;
            /**
             * Format: uri
             * @description Address that a click on the ad opens. Null if the campaign has none.
             */
            readonly destination_url: string | null;
            /** @description Token that identifies the impression when you attribute clicks. Null if there is none. */
            readonly attribution_token?: string | null;
        };
    };
    responses: {
        /** @description - `internal_error`: The platform has failed unexpectedly; quote the correlation id when you report it. */
        readonly InternalError: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `dependency_unavailable`: A part of the platform that this operation needs is unavailable; try again shortly. */
        readonly DependencyUnavailable: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `deadline_exceeded`: The operation did not finish in time; send the request again with the same Idempotency-Key. */
        readonly DeadlineExceeded: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still in progress.
         */
        readonly IdempotencyKeyReusedOrIdempotencyInProgress: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `payload_too_large`: The request body is larger than this operation accepts. */
        readonly PayloadTooLarge: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `unsupported_media_type`: The request body has a media type that this operation does not accept. */
        readonly UnsupportedMediaType: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `contract_violation`: The request violates the contract; details.violations lists every violation. */
        readonly ContractViolation: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"];
            };
        };
        /** @description - `unauthenticated`: The credential is missing, malformed, unknown, expired or revoked. */
        readonly Unauthenticated: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `insufficient_scope`: The credential does not have the scope named in details.required_scope.
         *     - `project_client_disabled`: An operator has disabled the Project Client.
         */
        readonly InsufficientScopeOrProjectClientDisabled: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `platform_quota_exceeded`: The Project Client has reached a hard quota; see details and Retry-After. */
        readonly PlatformQuotaExceeded: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["QuotaError"];
            };
        };
        /** @description - `idempotency_in_progress`: The first request with this Idempotency-Key is still in progress. */
        readonly IdempotencyInProgress: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `identity_migration_transaction_not_found`: This Project Client has no Identity Migration Transaction with this id. */
        readonly IdentityMigrationTransactionNotFound: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description - `payload_too_large`: The request body is larger than this operation accepts. */
        readonly PayloadTooLargePage: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><title>This page cannot be shown</title><h1>This page cannot be shown</h1><p>The link is wrong, was used already, or is no longer valid. Go back to the page or email that it came from, and request a new one.</p><p>Reference for support: <code>0198a6c4-5e6b-7d3a-9c1e-2f4b8a7d6c50</code></p> */
                readonly "text/html": string;
            };
        };
        /** @description - `unsupported_media_type`: The request body has a media type that this operation does not accept. */
        readonly UnsupportedMediaTypePage: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><title>This page cannot be shown</title><h1>This page cannot be shown</h1><p>The link is wrong, was used already, or is no longer valid. Go back to the page or email that it came from, and request a new one.</p><p>Reference for support: <code>0198a6c4-5e6b-7d3a-9c1e-2f4b8a7d6c50</code></p> */
                readonly "text/html": string;
            };
        };
        /** @description - `contract_violation`: The request violates the contract; details.violations lists every violation. */
        readonly ContractViolationPage: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><title>This page cannot be shown</title><h1>This page cannot be shown</h1><p>The link is wrong, was used already, or is no longer valid. Go back to the page or email that it came from, and request a new one.</p><p>Reference for support: <code>0198a6c4-5e6b-7d3a-9c1e-2f4b8a7d6c50</code></p> */
                readonly "text/html": string;
            };
        };
        /** @description - `internal_error`: The platform has failed unexpectedly; quote the correlation id when you report it. */
        readonly InternalErrorPage: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><title>This page cannot be shown</title><h1>This page cannot be shown</h1><p>The link is wrong, was used already, or is no longer valid. Go back to the page or email that it came from, and request a new one.</p><p>Reference for support: <code>0198a6c4-5e6b-7d3a-9c1e-2f4b8a7d6c50</code></p> */
                readonly "text/html": string;
            };
        };
        /** @description - `dependency_unavailable`: A part of the platform that this operation needs is unavailable; try again shortly. */
        readonly DependencyUnavailablePage: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><title>This page cannot be shown</title><h1>This page cannot be shown</h1><p>The link is wrong, was used already, or is no longer valid. Go back to the page or email that it came from, and request a new one.</p><p>Reference for support: <code>0198a6c4-5e6b-7d3a-9c1e-2f4b8a7d6c50</code></p> */
                readonly "text/html": string;
            };
        };
        /** @description - `deadline_exceeded`: The operation did not finish in time; send the request again with the same Idempotency-Key. */
        readonly DeadlineExceededPage: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><title>This page cannot be shown</title><h1>This page cannot be shown</h1><p>The link is wrong, was used already, or is no longer valid. Go back to the page or email that it came from, and request a new one.</p><p>Reference for support: <code>0198a6c4-5e6b-7d3a-9c1e-2f4b8a7d6c50</code></p> */
                readonly "text/html": string;
            };
        };
        /** @description - `recent_authentication_required`: The Platform Session was authenticated too long ago; sign in again. */
        readonly RecentAuthenticationRequired: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
         *     - `verification_link_invalid`: The verification link is wrong, was used before or has expired.
         */
        readonly ContractViolationOrVerificationLinkInvalid: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"];
            };
        };
        /**
         * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
         *     - `delivery_endpoint_not_found`: This Project Client has no Delivery Endpoint with this id.
         */
        readonly ContractViolationOrDeliveryEndpointNotFound: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"];
            };
        };
        /**
         * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
         *     - `notification_delivery_not_found`: This Project Client has no delivery with this id.
         */
        readonly ContractViolationOrNotificationDeliveryNotFound: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"];
            };
        };
        /**
         * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
         *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
         */
        readonly ContractViolationOrIdempotencyKeyReused: {
            headers: {
                readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["UnprocessableError"];
            };
        };
        /** @description Your endpoint has handled the call. Send any 2xx status within 15 seconds. */
        readonly CallHandled: {
            headers: {
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The platform stops calling this endpoint until an operator enables the operation again. */
        readonly EndpointGone: {
            headers: {
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Not handled: called again later, up to the registered number of tries. After 429 and 503 no sooner than Retry-After says. */
        readonly CallAgainLater: {
            headers: {
                readonly [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /**
         * @description Appears in the logs and in the response. The service generates one if you send none.
         * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
         */
        readonly CorrelationId: string;
        /**
         * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
         * @example order-A-1042-shipped
         */
        readonly IdempotencyKey: string;
        /**
         * @description Identifies this request, so that repeating it has no further effect: 1 to 255 printable ASCII characters without spaces.
         * @example order-A-1042-shipped
         */
        readonly LongIdempotencyKey: string;
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
                    readonly "application/json": components["schemas"]["HealthResponse"];
                };
            };
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "edge.noop": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 255 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["LongIdempotencyKey"];
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
                    readonly "application/json": components["schemas"]["NoopResponse"];
                };
            };
            readonly 409: components["responses"]["IdempotencyKeyReusedOrIdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["ContractViolation"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "identity.getProjectClient": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
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
                    readonly "application/json": components["schemas"]["ProjectClientResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 422: components["responses"]["ContractViolation"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "identity.createIdentityMigrationTransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
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
                    readonly "application/json": components["schemas"]["CreatedIdentityMigrationTransactionResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `project_client_mismatch`: project_client_id is not the id of the calling Project Client.
             *     - `identity_migration_transaction_expired`: The transaction has expired.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "identity.getIdentityMigrationTransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Id of the transaction.
                 * @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10
                 */
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
                    readonly "application/json": components["schemas"]["IdentityMigrationTransactionResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 404: components["responses"]["IdentityMigrationTransactionNotFound"];
            readonly 422: components["responses"]["ContractViolation"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "identity.createHostedContinuation": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description Id of the transaction.
                 * @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10
                 */
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
                    readonly "application/json": components["schemas"]["HostedContinuationResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `identity_migration_transaction_not_found`: This Project Client has no Identity Migration Transaction with this id.
             *     - `identity_migration_transaction_expired`: The transaction has expired.
             *     - `identity_migration_state_conflict`: The state of the transaction does not allow this operation.
             *     - `flow_token_invalid`: The flow token does not belong to this transaction.
             *     - `flow_token_locked`: Too many wrong flow tokens were tried; create a new transaction.
             *     - `return_uri_not_allowed`: return_uri is not on the Project Client's allow-list.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
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
            readonly 413: components["responses"]["PayloadTooLargePage"];
            readonly 415: components["responses"]["UnsupportedMediaTypePage"];
            readonly 422: components["responses"]["ContractViolationPage"];
            readonly 500: components["responses"]["InternalErrorPage"];
            readonly 503: components["responses"]["DependencyUnavailablePage"];
            readonly 504: components["responses"]["DeadlineExceededPage"];
        };
    };
    readonly "identity.linkIdentityMigrationTransaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Id of the transaction.
                 * @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10
                 */
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
                    readonly "application/json": components["schemas"]["IdentityMigrationTransactionResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["RecentAuthenticationRequired"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `identity_migration_transaction_not_found`: This Project Client has no Identity Migration Transaction with this id.
             *     - `identity_migration_transaction_expired`: The transaction has expired.
             *     - `identity_migration_state_conflict`: The state of the transaction does not allow this operation.
             *     - `flow_token_invalid`: The flow token does not belong to this transaction.
             *     - `flow_token_locked`: Too many wrong flow tokens were tried; create a new transaction.
             *     - `email_not_verified`: The account has not verified an email address since the transaction was created.
             *     - `account_already_linked`: The transaction is linked to another account, or this legacy subject is already linked.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "identity.confirmLink": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Id of the transaction.
                 * @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10
                 */
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
                    readonly "application/json": components["schemas"]["IdentityMigrationTransactionResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `identity_migration_transaction_not_found`: This Project Client has no Identity Migration Transaction with this id.
             *     - `identity_migration_transaction_expired`: The transaction has expired.
             *     - `identity_migration_state_conflict`: The state of the transaction does not allow this operation.
             *     - `account_already_linked`: The transaction is linked to another account, or this legacy subject is already linked.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "identity.requestEmailVerification": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Id of the transaction.
                 * @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10
                 */
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
                    readonly "application/json": components["schemas"]["EmailVerificationResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["RecentAuthenticationRequired"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `identity_migration_transaction_not_found`: This Project Client has no Identity Migration Transaction with this id.
             *     - `identity_migration_transaction_expired`: The transaction has expired.
             *     - `identity_migration_state_conflict`: The state of the transaction does not allow this operation.
             *     - `flow_token_invalid`: The flow token does not belong to this transaction.
             *     - `flow_token_locked`: Too many wrong flow tokens were tried; create a new transaction.
             *     - `email_not_owned`: The account does not own the asserted email address.
             *     - `verification_limit_reached`: The transaction has reached its limit of ten verification emails.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "identity.verifyEmail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Id of the transaction.
                 * @example 01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10
                 */
                readonly transactionId: string;
                /**
                 * @description The token of the emailed link.
                 * @example 5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251
                 */
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
                    readonly "application/json": components["schemas"]["VerifiedEmailResponse"];
                };
            };
            readonly 422: components["responses"]["ContractViolationOrVerificationLinkInvalid"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "files.createUploadGrant": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
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
                    readonly "application/json": components["schemas"]["UploadGrantResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `upload_grant_already_issued`: A grant was already issued for this Idempotency-Key; its token is returned only once.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "files.uploadFile": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The upload_token of the grant.
                 * @example 5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251
                 */
                readonly uploadToken: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": string;
                readonly "application/pdf": string;
                readonly "image/gif": string;
                readonly "image/jpeg": string;
                readonly "image/png": string;
                readonly "text/plain": string;
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
                    readonly "application/json": components["schemas"]["UploadedFileResponse"];
                };
            };
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `upload_token_invalid`: The upload token is wrong, was used before or has expired; obtain a new grant.
             *     - `upload_checksum_mismatch`: The SHA-256 of the uploaded bytes differs from the declared one.
             *     - `upload_too_large`: The upload is larger than the grant's maximum_bytes.
             *     - `upload_content_type_mismatch`: The content type of the upload differs from the declared one.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "files.completeFileObject": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /**
                 * @description Id of the File Object, from the upload grant.
                 * @example 01890a5d-ac98-7c21-8f4e-2b6a9d0e4c31
                 */
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
                    readonly "application/json": components["schemas"]["FileObjectResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `file_object_not_found`: This Project Client has no File Object with this id.
             *     - `file_object_not_uploaded`: No bytes have been uploaded for this File Object yet.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "files.createDownloadGrant": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description Id of the File Object, from the upload grant.
                 * @example 01890a5d-ac98-7c21-8f4e-2b6a9d0e4c31
                 */
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
                    readonly "application/json": components["schemas"]["DownloadGrantResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `file_object_not_found`: This Project Client has no File Object with this id.
             *     - `file_object_not_available`: The File Object is not available.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "files.createPublicAsset": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description Id of the File Object, from the upload grant.
                 * @example 01890a5d-ac98-7c21-8f4e-2b6a9d0e4c31
                 */
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
                    readonly "application/json": components["schemas"]["PublicAssetResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `file_object_not_found`: This Project Client has no File Object with this id.
             *     - `file_object_not_available`: The File Object is not available.
             *     - `file_object_not_image`: The File Object is not an image.
             *     - `image_preset_not_found`: There is no approved image preset with this id.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.validateNotificationCatalog": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
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
                    readonly "application/json": components["schemas"]["CatalogDigestResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["ContractViolation"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.registerEmailDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
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
                    readonly "application/json": components["schemas"]["EmailEndpointRegistrationResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["ContractViolation"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.verifyEmailDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /**
                 * @description Id of the Delivery Endpoint.
                 * @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42
                 */
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
                    readonly "application/json": components["schemas"]["VerifiedEmailEndpointResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `delivery_endpoint_not_found`: This Project Client has no Delivery Endpoint with this id.
             *     - `verification_token_invalid`: The verification token is wrong or was used before.
             *     - `verification_token_expired`: The verification token has expired; register again.
             *     - `verification_locked`: Too many wrong verification tokens were tried; register again.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.createNotificationIntent": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
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
                    readonly "application/json": components["schemas"]["NotificationIntentResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `delivery_endpoint_not_found`: This Project Client has no Delivery Endpoint with this id.
             *     - `delivery_endpoint_not_verified`: The Delivery Endpoint has not been verified.
             *     - `sender_profile_not_found`: This Project Client has no sender profile with this id.
             *     - `template_not_found`: There is no template with this key, channel and locale.
             *     - `template_variables_mismatch`: The variables differ from those that the template declares; details.violations lists the differences.
             *     - `channel_mismatch`: The sender profile, the template and the endpoint have different channels.
             *     - `consent_withdrawn`: The recipient has unsubscribed from this purpose.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.createChannelNotificationIntent": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
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
                    readonly "application/json": components["schemas"]["NotificationIntentResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `delivery_endpoint_not_found`: This Project Client has no Delivery Endpoint with this id.
             *     - `delivery_endpoint_not_verified`: The Delivery Endpoint has not been verified.
             *     - `delivery_endpoint_revoked`: The Delivery Endpoint has been revoked.
             *     - `sender_profile_not_found`: This Project Client has no sender profile with this id.
             *     - `template_not_found`: There is no template with this key, channel and locale.
             *     - `template_variables_mismatch`: The variables differ from those that the template declares; details.violations lists the differences.
             *     - `channel_mismatch`: The sender profile, the template and the endpoint have different channels.
             *     - `consent_required`: The endpoint has not granted consent for this purpose.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.registerDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
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
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpointResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["ContractViolation"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.verifyDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /**
                 * @description Id of the Delivery Endpoint.
                 * @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42
                 */
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
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpointResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `delivery_endpoint_not_found`: This Project Client has no Delivery Endpoint with this id.
             *     - `delivery_endpoint_revoked`: The Delivery Endpoint has been revoked.
             *     - `verification_token_invalid`: The verification token is wrong or was used before.
             *     - `verification_token_expired`: The verification token has expired; register again.
             *     - `verification_locked`: Too many wrong verification tokens were tried; register again.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.getDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /**
                 * @description Id of the Delivery Endpoint.
                 * @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42
                 */
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
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpointResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 422: components["responses"]["ContractViolationOrDeliveryEndpointNotFound"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.revokeDeliveryEndpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /**
                 * @description Id of the Delivery Endpoint.
                 * @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42
                 */
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
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpointResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 422: components["responses"]["ContractViolationOrDeliveryEndpointNotFound"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.setDeliveryConsent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /**
                 * @description Id of the Delivery Endpoint.
                 * @example 01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42
                 */
                readonly endpointId: string;
                /**
                 * @description Purpose of the consent.
                 * @example transactional.order
                 */
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
                    readonly "application/json": components["schemas"]["ChannelDeliveryEndpointResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `delivery_endpoint_not_found`: This Project Client has no Delivery Endpoint with this id.
             *     - `delivery_endpoint_revoked`: The Delivery Endpoint has been revoked.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "notify.getNotificationDelivery": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
            };
            readonly path: {
                /**
                 * @description Id of the delivery, from the intent.
                 * @example 01890a5d-ac9a-7e03-9c6b-1a4d8e2f7c53
                 */
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
                    readonly "application/json": components["schemas"]["NotificationDeliveryResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 422: components["responses"]["ContractViolationOrNotificationDeliveryNotFound"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "events.createProjectAudit": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
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
                    readonly "application/json": components["schemas"]["CreatedIdResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["ContractViolationOrIdempotencyKeyReused"];
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "events.publishDomainEvent": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
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
                    readonly "application/json": components["schemas"]["DomainEventResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `stream_sequence_conflict`: The stream already has another event at this sequence.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "events.registerScheduledOperation": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
                readonly "X-Correlation-ID"?: components["parameters"]["CorrelationId"];
                /**
                 * @description Identifies this request, so that repeating it has no further effect: 1 to 120 printable ASCII characters without spaces.
                 * @example order-A-1042-shipped
                 */
                readonly "Idempotency-Key": components["parameters"]["IdempotencyKey"];
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
                    readonly "application/json": components["schemas"]["CreatedIdResponse"];
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeOrProjectClientDisabled"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `idempotency_key_reused`: The Idempotency-Key was used earlier for a different request.
             *     - `scheduled_url_not_allowed`: The platform may not call this url in this environment; details.reason says why.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 429: components["responses"]["PlatformQuotaExceeded"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "ads.recordViewableImpression": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Appears in the logs and in the response. The service generates one if you send none.
                 * @example 01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86
                 */
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
                    readonly "application/json": components["schemas"]["ViewableImpressionResponse"];
                };
            };
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description - `contract_violation`: The request violates the contract; details.violations lists every violation.
             *     - `decision_token_invalid`: This platform did not sign the ad decision token, or the token was changed.
             *     - `decision_token_expired`: The ad decision token has expired.
             *     - `viewability_not_met`: The impression does not meet the viewability threshold of its format.
             */
            readonly 422: {
                headers: {
                    readonly "X-Correlation-ID": components["headers"]["CorrelationId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnprocessableError"];
                };
            };
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["DependencyUnavailable"];
            readonly 504: components["responses"]["DeadlineExceeded"];
        };
    };
    readonly "webhooks.scheduledCall": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Id of the invocation or of the event. It is the same for every attempt, so use it to handle each call once.
                 * @example 01890a5d-aca1-757a-a3d2-91be5f702dca
                 */
                readonly "webhook-id": string;
                /**
                 * @description Time of this attempt, in seconds since 1970. Reject a call whose time differs from yours by more than five minutes.
                 * @example 1782865800
                 */
                readonly "webhook-timestamp": string;
                /**
                 * @description `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body` with the registered secret; several, apart by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description Verify the signature over exactly these bytes before you parse them. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: uuid
                     * @description Id of the scheduled operation.
                     */
                    readonly operation_id: string;
                    /** @description Name of the operation, as you registered it. */
                    readonly name: string;
                    /**
                     * Format: uuid
                     * @description Id of this invocation. It is the same for every attempt.
                     */
                    readonly invocation_id: string;
                    /**
                     * Format: date-time
                     * @description The due time of this call.
                     */
                    readonly scheduled_for: string;
                    /**
                     * Format: int64
                     * @description Number of this attempt, starting with 1.
                     */
                    readonly attempt: number;
                };
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["CallHandled"];
            readonly 410: components["responses"]["EndpointGone"];
            readonly default: components["responses"]["CallAgainLater"];
        };
    };
    readonly "webhooks.domainEvent": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Id of the invocation or of the event. It is the same for every attempt, so use it to handle each call once.
                 * @example 01890a5d-aca1-757a-a3d2-91be5f702dca
                 */
                readonly "webhook-id": string;
                /**
                 * @description Time of this attempt, in seconds since 1970. Reject a call whose time differs from yours by more than five minutes.
                 * @example 1782865800
                 */
                readonly "webhook-timestamp": string;
                /**
                 * @description `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body` with the registered secret; several, apart by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description Verify the signature over exactly these bytes before you parse them. */
        readonly requestBody: {
            readonly content: {
                readonly "application/cloudevents+json": {
                    /**
                     * @description Version of CloudEvents.
                     * @enum {string}
                     */
                    readonly specversion: "1.0";
                    /**
                     * Format: uuid
                     * @description Id of the event.
                     */
                    readonly id: string;
                    /** @description Source of the event: `/project-clients/<id>`. The source of the platform's own events begins with `/platform`. */
                    readonly source: string;
                    /** @description Kind of event, as it was published. */
                    readonly type: string;
                    /**
                     * Format: date-time
                     * @description Time at which the event happened, or was published if that is not known.
                     */
                    readonly time: string;
                    /**
                     * @description Media type of `data`.
                     * @enum {string}
                     */
                    readonly datacontenttype: "application/json";
                    /**
                     * Format: date-time
                     * @description Time at which the platform recorded the event.
                     */
                    readonly publishedtime: string;
                    /** @description Version of the schema that `data` follows. */
                    readonly schemaversion: string;
                    /** @description The event's position in the Project Client's log, a whole number. */
                    readonly position: string;
                    /** @description The event's stream, if it has one. */
                    readonly streamid?: string;
                    /** @description The event's place in its stream, a whole number. */
                    readonly sequence?: string;
                    /** @description The publisher's JSON, as it was sent. */
                    readonly data: {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["CallHandled"];
            readonly 410: components["responses"]["EndpointGone"];
            readonly default: components["responses"]["CallAgainLater"];
        };
    };
}
