"""Places an order, and reads a refusal, by a client that openapi-python-client generated."""

import os

from shop_client import AuthenticatedClient
from shop_client.api.orders import list_orders, place_order
from shop_client.models import PlaceOrder, Problem

client = AuthenticatedClient(base_url=os.environ["API"], token=os.environ["TOKEN"])
line = {"sku": os.environ["SKU"], "quantity": 1, "unitPrice": {"amount": 350, "currency": "EUR"}}


def place(lines):
    return place_order.sync_detailed(
        client=client, body=PlaceOrder.from_dict({"lines": lines}), idempotency_key=os.urandom(8).hex()
    )


placed = place([line])
assert placed.status_code == 201, placed
assert placed.parsed.status == "PENDING", placed.parsed

refused = place([])
assert refused.status_code == 400, refused
assert isinstance(refused.parsed, Problem), refused
assert refused.parsed.type_ == "urn:orderly:problem:invalid-request", refused.parsed
assert refused.parsed.errors[0].pointer == "/lines", refused.parsed

page = list_orders.sync(client=client, limit=1)
assert [order.order_id for order in page.items] or page.items == [], page
