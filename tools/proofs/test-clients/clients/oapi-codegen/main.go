package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/oapi-codegen-client/platform"
	"github.com/google/uuid"
)

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("PROJECT_CREDENTIAL"))
		return nil
	}
	client, err := platform.NewClientWithResponses(os.Getenv("BASE_URL")+"/api/v1", platform.WithRequestEditorFn(authorize))
	check(err)

	// Read the Project Client.
	project, err := client.IdentityGetProjectClientWithResponse(ctx, nil)
	check(err)
	fmt.Println("client", project.JSON200.Data.Name)

	// Publish the same event twice under one key: it must be stored once.
	event := platform.PublishDomainEventRequest{Type: "order.shipped", SchemaVersion: 1, Data: map[string]any{"order_number": "A-1042"}}
	params := platform.EventsPublishDomainEventParams{IdempotencyKey: uuid.NewString()}
	first, err := client.EventsPublishDomainEventWithResponse(ctx, &params, event)
	check(err)
	second, err := client.EventsPublishDomainEventWithResponse(ctx, &params, event)
	check(err)
	if first.JSON200.Data.Id != second.JSON200.Data.Id {
		log.Fatal("published twice")
	}
	fmt.Println("event", first.JSON200.Data.Id)

	// Upload a file.
	file := []byte("Hello from oapi-codegen.\n")
	digest := sha256.Sum256(file)
	grant, err := client.FilesCreateUploadGrantWithResponse(ctx, &platform.FilesCreateUploadGrantParams{IdempotencyKey: uuid.NewString()},
		platform.CreateUploadGrantRequest{ExpectedSha256: hex.EncodeToString(digest[:]), ExpectedContentType: "text/plain", MaximumBytes: len(file)})
	check(err)
	upload, err := client.FilesUploadFileWithBodyWithResponse(ctx, grant.JSON200.Data.UploadToken, "text/plain", bytes.NewReader(file))
	check(err)
	fmt.Println("file", upload.JSON200.Data.FileObjectId)

	// Read a typed 422.
	event.Type = "Not a name"
	refused, err := client.EventsPublishDomainEventWithResponse(ctx, &platform.EventsPublishDomainEventParams{IdempotencyKey: uuid.NewString()}, event)
	check(err)
	violations := *refused.JSON422.Error.Details.Violations
	fmt.Println("refused", refused.JSON422.Error.Code, violations[0].Path)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
