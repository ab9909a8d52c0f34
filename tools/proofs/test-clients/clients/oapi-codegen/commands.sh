# Generate the client.
curl -sS --fail-with-body -o openapi.json "$BASE_URL/api/v1/openapi.json"
mkdir platform
go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types -package platform -o platform/models.go openapi.json
go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate client -package platform -o platform/client.go openapi.json

# Compile the program.
go mod tidy
go build -o program .

# Run the program.
./program
