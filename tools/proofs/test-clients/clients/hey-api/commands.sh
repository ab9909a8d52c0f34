# Generate the client.
curl -sS --fail-with-body -o openapi.json "$BASE_URL/api/v1/openapi.json"
npm init --yes --init-type=module > /dev/null
npm install --silent @hey-api/openapi-ts@0.99.0 typescript@5.9.3 @types/node@26.6.6
npx openapi-ts --input openapi.json --output generated --silent

# Compile the program.
npx tsc --strict --skipLibCheck --target es2022 --module nodenext --types node --outDir built program.ts

# Run the program.
node built/program.js
