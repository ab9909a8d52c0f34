# Generate the client.
python3 -m venv venv
venv/bin/pip install --quiet grpcio-tools==1.85.1
export GOBIN="$PWD/bin"
go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
PATH="$GOBIN:$PATH" venv/bin/python -m grpc_tools.protoc -Iproto \
  --go_out=. --go_opt=module=projectintegration --go-grpc_out=. --go-grpc_opt=module=projectintegration \
  $(find -L proto/projectintegration -name '*.proto')

# Compile the program.
go mod tidy
go build -o program .

# Run the program.
./program
