#!/bin/sh
# A recorded session becomes a living backend: objects made offline are there in the next list.
. "$(dirname "$0")/proxy.sh"

echo '{"resources": [{"path": "/users", "seed": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]}]}' > backend.json
start serve --overrides backend.json
backend=$pid
origin=$url
post() { curl -s -H 'Content-Type: application/json' -d "$1" "$url/users" && echo; }

start record --upstream "$origin" --cassette shop
curl -s "$url/users" && echo
curl -s "$url/users/1" && echo
post '{"name": "Eve"}'
curl -s "$url/users" && echo
stop
kill "$backend"

tapedeck promote shop --out living.json > /dev/null 2>>log
tapedeck promote shop -o living.json --force --min-confidence 30 > /dev/null 2>>log
tapedeck promote shop --json 2>>log | members it exchanges file resources
tapedeck lint living.json > /dev/null && echo "lint finds nothing"
start serve --cassette shop --overrides living.json
curl -s "$url/users" && echo
post '{"name": "Joe"}'
curl -s "$url/users" | json '[each["name"] for each in it]'
stop
