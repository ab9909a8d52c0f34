module example.com/ogen-client

go 1.25.0

require (
	github.com/go-faster/jx v1.2.0
	github.com/google/uuid v1.6.0
	github.com/ogen-go/ogen v1.24.0
)
