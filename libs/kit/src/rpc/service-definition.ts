import type { DescMethod } from "@bufbuild/protobuf";
import type { MethodDefinition } from "@grpc/grpc-js";

/** Returns the path of a method on the wire: `/projectintegration.events.v1.DomainEventService/PublishDomainEvent`. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/**
 * Returns the grpc-js definition of a method whose messages are already encoded. `encodeMessage` and `fromBinary`
 * convert messages for every transport, so grpc-js must not.
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
