import type { DescMethod } from "@bufbuild/protobuf";
import type { MethodDefinition } from "@grpc/grpc-js";

/** Path of a method on the wire: `/projectintegration.events.v1.EventsService/PublishDomainEvent`. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/**
 * The grpc-js definition of a method whose messages are already bytes, because `encodeMessage` and `fromBinary` handle
 * the calls of every transport.
 */
export function bytesMethodDefinition(method: DescMethod): MethodDefinition<Buffer, Buffer> {
  return {
    path: methodPath(method),
    requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
    responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
    requestSerialize: (bytes) => bytes,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: (bytes) => bytes,
    responseDeserialize: (bytes) => bytes,
  };
}
