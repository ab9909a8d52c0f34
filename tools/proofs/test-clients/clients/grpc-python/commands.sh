# Generate the client.
python3 -m venv venv
venv/bin/pip install --quiet grpcio-tools==1.85.1
mkdir generated
venv/bin/python -m grpc_tools.protoc -Iproto --python_out=generated --grpc_python_out=generated $(find -L proto/projectintegration -name '*.proto')

# Run the program.
PYTHONPATH=generated venv/bin/python program.py
