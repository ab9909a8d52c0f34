/** How each operation is sent, by its id. */
export declare const operationTable: {
    readonly "edge.getHealth": {
        readonly method: "GET";
        readonly path: "/health";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "edge.noop": {
        readonly method: "POST";
        readonly path: "/noop";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "identity.getProjectClient": {
        readonly method: "GET";
        readonly path: "/project-client";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "identity.createIdentityMigrationTransaction": {
        readonly method: "POST";
        readonly path: "/identity-migration-transactions";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "identity.getIdentityMigrationTransaction": {
        readonly method: "GET";
        readonly path: "/identity-migration-transactions/{transactionId}";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "identity.createHostedContinuation": {
        readonly method: "POST";
        readonly path: "/identity-migration-transactions/{transactionId}/hosted-continuations";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "identity.linkIdentityMigrationTransaction": {
        readonly method: "POST";
        readonly path: "/identity-migration-transactions/{transactionId}/link";
        readonly needsKey: false;
        readonly body: "json";
    };
    readonly "identity.confirmLink": {
        readonly method: "POST";
        readonly path: "/identity-migration-transactions/{transactionId}/confirm-link";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "identity.requestEmailVerification": {
        readonly method: "POST";
        readonly path: "/identity-migration-transactions/{transactionId}/email-verification";
        readonly needsKey: false;
        readonly body: "json";
    };
    readonly "identity.verifyEmail": {
        readonly method: "GET";
        readonly path: "/identity-migration-transactions/{transactionId}/verify-email/{token}";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "files.createUploadGrant": {
        readonly method: "POST";
        readonly path: "/file-objects/upload-grants";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "files.uploadFile": {
        readonly method: "PUT";
        readonly path: "/file-uploads/{uploadToken}";
        readonly needsKey: false;
        readonly body: "bytes";
    };
    readonly "files.completeFileObject": {
        readonly method: "POST";
        readonly path: "/file-objects/{fileObjectId}/complete";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "files.createDownloadGrant": {
        readonly method: "POST";
        readonly path: "/file-objects/{fileObjectId}/download-grants";
        readonly needsKey: true;
        readonly body: "none";
    };
    readonly "files.createPublicAsset": {
        readonly method: "POST";
        readonly path: "/file-objects/{fileObjectId}/public-assets";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "notify.validateNotificationCatalog": {
        readonly method: "POST";
        readonly path: "/notification-catalog/validate";
        readonly needsKey: false;
        readonly body: "json";
    };
    readonly "notify.registerEmailDeliveryEndpoint": {
        readonly method: "POST";
        readonly path: "/email-delivery-endpoints";
        readonly needsKey: false;
        readonly body: "json";
    };
    readonly "notify.verifyEmailDeliveryEndpoint": {
        readonly method: "POST";
        readonly path: "/email-delivery-endpoints/{endpointId}/verify";
        readonly needsKey: false;
        readonly body: "json";
    };
    readonly "notify.createNotificationIntent": {
        readonly method: "POST";
        readonly path: "/notification-intents";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "notify.createChannelNotificationIntent": {
        readonly method: "POST";
        readonly path: "/channel-notification-intents";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "notify.registerDeliveryEndpoint": {
        readonly method: "POST";
        readonly path: "/notification-endpoints";
        readonly needsKey: false;
        readonly body: "json";
    };
    readonly "notify.verifyDeliveryEndpoint": {
        readonly method: "POST";
        readonly path: "/notification-endpoints/{endpointId}/verify";
        readonly needsKey: false;
        readonly body: "json";
    };
    readonly "notify.getDeliveryEndpoint": {
        readonly method: "GET";
        readonly path: "/notification-endpoints/{endpointId}";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "notify.revokeDeliveryEndpoint": {
        readonly method: "DELETE";
        readonly path: "/notification-endpoints/{endpointId}";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "notify.setDeliveryConsent": {
        readonly method: "PUT";
        readonly path: "/notification-endpoints/{endpointId}/consents/{purpose}";
        readonly needsKey: false;
        readonly body: "json";
    };
    readonly "notify.getNotificationDelivery": {
        readonly method: "GET";
        readonly path: "/notification-deliveries/{deliveryId}";
        readonly needsKey: false;
        readonly body: "none";
    };
    readonly "events.createProjectAudit": {
        readonly method: "POST";
        readonly path: "/project-audits";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "events.publishDomainEvent": {
        readonly method: "POST";
        readonly path: "/domain-events";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "events.registerScheduledOperation": {
        readonly method: "POST";
        readonly path: "/scheduled-operations";
        readonly needsKey: true;
        readonly body: "json";
    };
    readonly "ads.recordViewableImpression": {
        readonly method: "POST";
        readonly path: "/advertising/viewable-impressions";
        readonly needsKey: false;
        readonly body: "json";
    };
};
