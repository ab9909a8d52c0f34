import hashlib
import io
import os
import uuid

from platform_client import AuthenticatedClient
from platform_client.api.events import events_publish_domain_event
from platform_client.api.files import files_create_upload_grant, files_upload_file
from platform_client.api.identity import identity_get_project_client
from platform_client.models import CreateUploadGrantRequest, FileContentType, PublishDomainEventRequest, UnprocessableError
from platform_client.types import File

client = AuthenticatedClient(base_url=os.environ["BASE_URL"] + "/api/v1", token=os.environ["PROJECT_CREDENTIAL"])


def key() -> str:
    return str(uuid.uuid4())


# Read the Project Client.
project = identity_get_project_client.sync(client=client)
print("client", project.data.name)

# Publish the same event twice under one key: it must be stored once.
fields = {"schema_version": 1, "data": {"order_number": "A-1042"}}
event = PublishDomainEventRequest.from_dict({"type": "order.shipped", **fields})
same = key()
first = events_publish_domain_event.sync(client=client, body=event, idempotency_key=same)
second = events_publish_domain_event.sync(client=client, body=event, idempotency_key=same)
assert first.data.id == second.data.id
print("event", first.data.id)

# Upload a file.
content = b"Hello from openapi-python-client.\n"
grant = files_create_upload_grant.sync(
    client=client,
    idempotency_key=key(),
    body=CreateUploadGrantRequest(
        expected_sha256=hashlib.sha256(content).hexdigest(),
        expected_content_type=FileContentType.TEXTPLAIN,
        maximum_bytes=len(content),
    ),
)
upload = files_upload_file.sync(client=client, upload_token=grant.data.upload_token, body=File(payload=io.BytesIO(content)))
print("file", upload.data.file_object_id)

# Read a typed 422.
wrong = PublishDomainEventRequest.from_dict({"type": "Not a name", **fields})
refused = events_publish_domain_event.sync(client=client, body=wrong, idempotency_key=key())
assert isinstance(refused, UnprocessableError)
print("refused", refused.error.code.value, refused.error.details.violations[0].path)
