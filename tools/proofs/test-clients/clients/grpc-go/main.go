// Reads a Project Client's events with its consumer token, through the client that protoc generates from proto/.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	eventsv1 "projectintegration/events/v1"
)

func main() {
	connection, err := grpc.NewClient(os.Getenv("EVENTS_GRPC"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	token := metadata.Pairs("authorization", "Bearer "+os.Getenv("CONSUMER_TOKEN"))
	ctx, cancel := context.WithTimeout(metadata.NewOutgoingContext(context.Background(), token), 30*time.Second)
	defer cancel()
	events, err := eventsv1.NewDomainEventConsumerServiceClient(connection).ReadEvents(ctx, &eventsv1.ReadEventsRequest{
		ProjectClientId: os.Getenv("PROJECT_CLIENT_ID"),
		AfterPosition:   proto.Int64(0),
	})
	if err != nil {
		log.Fatal(err)
	}
	for {
		answer, err := events.Recv()
		if err != nil {
			log.Fatal(err)
		}
		// A response without an event is a checkpoint.
		if answer.Event != nil {
			fmt.Println("event", answer.Position, answer.Event.Type)
			return
		}
	}
}
