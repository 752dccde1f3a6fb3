import os

from flask import Flask, request
from standardwebhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])


@app.post("/hooks")
def receive():
    try:
        # Verify the raw body, get_data(), not request.json.
        event = webhook.verify(request.get_data(), dict(request.headers))
    except WebhookVerificationError:
        return "", 400
    if event["type"] == "order.paid":
        print("paid", event["data"]["order"]["id"], flush=True)
    return "", 204
