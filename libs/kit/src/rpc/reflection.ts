import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { type Server, type ServerDuplexStream, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { callerOf } from "./caller-identity.ts";

/**
 * Adds server reflection (grpc.reflection.v1 and v1alpha), with which `grpcurl` and `buf curl` discover the services.
 * With mutual TLS, only the operator's certificate is accepted. Without TLS, the server listens only on loopback.
 */
export function addReflection(server: Server, services: readonly DescService[], isTls: boolean): void {
  const files = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file.name)) return;
    for (const dependency of file.dependencies) add(dependency);
    files.set(file.name, file);
  };
  for (const service of services) add(service.file);
  const fileDescriptorProtos = [...files.values()].map(({ proto }) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, proto)),
  );
  // Of a package definition, the library reads only the descriptors.
  const definition = { files: { format: "Protocol Buffer 3 DescriptorProto", type: {}, fileDescriptorProtos } };
  const reflection = new ReflectionService(definition as unknown as Definition, {
    services: services.map(({ typeName }) => typeName),
  });
  reflection.addToServer({
    addService: (service, implementation) =>
      server.addService(service, isTls ? forOperators(implementation) : implementation),
  });
}

type Definition = ConstructorParameters<typeof ReflectionService>[0];
type Handler = (call: ServerDuplexStream<unknown, unknown>) => void;

function forOperators(implementation: UntypedServiceImplementation): UntypedServiceImplementation {
  const guarded = Object.entries(implementation).map(([name, handle]): [string, Handler] => [
    name,
    (call) => {
      if (callerOf(call.getAuthContext().sslPeerCertificate) === "operator") return (handle as Handler)(call);
      call.emit("error", {
        code: status.UNAUTHENTICATED,
        details: "The caller's certificate does not allow this call.",
      });
    },
  ]);
  return Object.fromEntries(guarded);
}
