module example.com/oapi-codegen-client

go 1.25.0

require (
	github.com/google/uuid v1.6.0
	github.com/oapi-codegen/runtime v1.8.0
)
