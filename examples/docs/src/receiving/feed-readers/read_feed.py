import json
import os

import httpx
from httpx_sse import connect_sse

headers = {"authorization": f"Bearer {os.environ['API_KEY']}"}
with httpx.Client(timeout=None) as client:
    while True:
        with connect_sse(client, "GET", os.environ["FEED_URL"], headers=headers) as source:
            for message in source.iter_sse():
                if message.id:
                    headers["last-event-id"] = message.id
                if message.event == "message" and message.data:
                    print(json.loads(message.data)["subject"]["sequence"], flush=True)
