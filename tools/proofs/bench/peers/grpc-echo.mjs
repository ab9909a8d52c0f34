// A grpc-js server with one unary method that returns the bytes it received.
import { Server, ServerCredentials } from "@grpc/grpc-js";

const same = (bytes) => bytes;
const server = new Server();
server.addService(
  {
    call: {
      path: "/bench.Echo/Call",
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    },
  },
  { call: (call, respond) => respond(null, call.request) },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`LISTENING ${port}`);
});
