# Generate the client.
curl -sS --fail-with-body -o openapi.json "$BASE_URL/api/v1/openapi.json"
mvn --quiet --batch-mode -Dopenapi="$PWD/openapi.json" generate-sources

# Compile the program.
mvn --quiet --batch-mode -Dopenapi="$PWD/openapi.json" process-classes

# Run the program.
java -cp "target/classes:target/dependency/*" Program
