package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log"
	"os"

	"example.com/ogen-client/platform"
	"github.com/go-faster/jx"
	"github.com/google/uuid"
)

type credentials struct{}

func (credentials) ProjectCredential(context.Context, platform.OperationName) (platform.ProjectCredential, error) {
	return platform.ProjectCredential{Token: os.Getenv("PROJECT_CREDENTIAL")}, nil
}

func (credentials) PlatformSession(context.Context, platform.OperationName) (platform.PlatformSession, error) {
	return platform.PlatformSession{}, nil
}

func main() {
	ctx := context.Background()
	client, err := platform.NewClient(os.Getenv("BASE_URL")+"/api/v1", credentials{})
	check(err)

	// Read the Project Client.
	project, err := client.IdentityGetProjectClient(ctx, platform.IdentityGetProjectClientParams{})
	check(err)
	fmt.Println("client", project.(*platform.ProjectClientResponseHeaders).Response.Data.Name)

	// Publish the same event twice under one key: it must be stored once.
	event := &platform.PublishDomainEventRequest{Type: "order.shipped", SchemaVersion: 1,
		Data: platform.PublishDomainEventRequestData{"order_number": jx.Raw(`"A-1042"`)}}
	params := platform.EventsPublishDomainEventParams{IdempotencyKey: uuid.NewString()}
	publish := func() uuid.UUID {
		answer, err := client.EventsPublishDomainEvent(ctx, event, params)
		check(err)
		return answer.(*platform.DomainEventResponseHeaders).Response.Data.ID
	}
	first := publish()
	if first != publish() {
		log.Fatal("published twice")
	}
	fmt.Println("event", first)

	// Upload a file.
	file := []byte("Hello from ogen.\n")
	digest := sha256.Sum256(file)
	grant, err := client.FilesCreateUploadGrant(ctx, &platform.CreateUploadGrantRequest{
		ExpectedSHA256: hex.EncodeToString(digest[:]), ExpectedContentType: platform.FileContentTypeTextPlain, MaximumBytes: len(file),
	}, platform.FilesCreateUploadGrantParams{IdempotencyKey: uuid.NewString()})
	check(err)
	token := grant.(*platform.UploadGrantResponseHeaders).Response.Data.UploadToken
	upload, err := client.FilesUploadFile(ctx, &platform.FilesUploadFileReqTextPlain{Data: bytes.NewReader(file)},
		platform.FilesUploadFileParams{UploadToken: token})
	check(err)
	fmt.Println("file", upload.(*platform.UploadedFileResponseHeaders).Response.Data.FileObjectID)

	// Read a typed 422. The client validates a request before it sends it, so this one violates a rule that only the platform checks.
	other, err := client.FilesCompleteFileObject(ctx, platform.FilesCompleteFileObjectParams{FileObjectId: uuid.New()})
	check(err)
	refused := other.(*platform.UnprocessableErrorHeaders).Response.Error
	fmt.Println("refused", refused.Code)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
