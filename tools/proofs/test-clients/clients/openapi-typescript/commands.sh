# Generate the client.
curl -sS --fail-with-body -o openapi.json "$BASE_URL/api/v1/openapi.json"
npm init --yes --init-type=module > /dev/null
npm install --silent openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3 @types/node@26.6.6
npx openapi-typescript openapi.json --output generated/schema.ts

# Compile the program.
npx tsc --strict --skipLibCheck --target es2022 --module nodenext --types node --outDir built program.ts

# Run the program.
node built/program.js
