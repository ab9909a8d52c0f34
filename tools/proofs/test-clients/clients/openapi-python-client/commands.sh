# Generate the client.
curl -sS --fail-with-body -o openapi.json "$BASE_URL/api/v1/openapi.json"
python3 -m venv venv
venv/bin/pip install --quiet openapi-python-client==0.29.1
venv/bin/openapi-python-client generate --path openapi.json --meta none --output-path platform_client

# Compile the client.
venv/bin/python -m compileall -q platform_client

# Run the program.
venv/bin/python program.py
