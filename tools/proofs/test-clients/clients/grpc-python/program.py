"""Reads a Project Client's events with its consumer token, by the client generated into the first folder of the import path."""

import os

import grpc
from projectintegration.events.v1 import events_consumer_pb2, events_consumer_pb2_grpc

channel = grpc.insecure_channel(os.environ["EVENTS_GRPC"])
consumer = events_consumer_pb2_grpc.DomainEventConsumerServiceStub(channel)
request = events_consumer_pb2.ReadEventsRequest(project_client_id=os.environ["PROJECT_CLIENT_ID"], after_position=0)
token = [("authorization", f"Bearer {os.environ['CONSUMER_TOKEN']}")]
for answer in consumer.ReadEvents(request, metadata=token, timeout=30):
    if answer.HasField("event"):
        print("event", answer.position, answer.event.type)
        break
