# Generate the client.
curl -sS --fail-with-body -o openapi.json "$BASE_URL/api/v1/openapi.json"
go run github.com/ogen-go/ogen/cmd/ogen@v1.24.0 --target platform --package platform --clean openapi.json

# Compile the program.
go mod tidy
go build -o program .

# Run the program.
./program
