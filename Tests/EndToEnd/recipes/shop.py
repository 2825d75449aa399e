"""A shop: a page, and the API that it calls on another host. `SHOP_VERSION=2` is the API after a careless release."""

import itertools
import os

from flask import Flask, jsonify, request

app = Flask(__name__)
orders = itertools.count(1)
requests_seen = itertools.count(1)

PAGE = """<!DOCTYPE html><link rel="icon" href="data:,"><title>Shop</title>
<ul id="items"></ul><p id="say"></p>
<script>
const api = 'https://api.example.com';
const say = (text) => document.querySelector('#say').textContent = text;
const show = async () => {
  const answer = await fetch(api + '/items');
  if (!answer.ok) return say('Closed for maintenance');
  for (const item of await answer.json()) {
    const button = document.createElement('button');
    button.textContent = `Buy ${item.name} for ${item.price}`;
    button.onclick = async () => {
      const headers = {'Content-Type': 'application/json'};
      const bought = await fetch(api + '/orders', {method: 'POST', headers, body: JSON.stringify({item: item.id})});
      say(`Order ${(await bought.json()).order}`);
    };
    document.querySelector('#items').append(button);
  }
};
show();
</script>
"""


@app.after_request
def allow_the_page(answer):
    answer.headers["Access-Control-Allow-Origin"] = "https://shop.example.com"
    answer.headers["Access-Control-Allow-Headers"] = "Content-Type"
    return answer


@app.get("/")
def page():
    return PAGE


@app.get("/items")
def items():
    price = 12.5 + next(requests_seen)
    return jsonify([{"id": 7, "name": "tea", "price": f"{price} EUR" if os.environ.get("SHOP_VERSION") == "2" else price}])


@app.post("/orders")
def order():
    return jsonify(order=next(orders), item=request.get_json()["item"]), 201
