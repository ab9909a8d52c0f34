"""Verifies calls with the official library: one JSON line {secret, headers, body} each, `ok` or `refused` back."""

import base64
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    call = json.loads(line)
    secret = call["secret"]
    if not secret.startswith("whsec_"):
        secret = "whsec_" + base64.b64encode(secret.encode()).decode()
    try:
        Webhook(secret).verify(call["body"], call["headers"])
        print("ok")
    except WebhookVerificationError:
        print("refused")
