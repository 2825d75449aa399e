#!/bin/sh
# The commands of the README: record, replay, override, look.
. "$(dirname "$0")/proxy.sh"

start record --upstream "$ORIGIN" --cassette recorded
curl -s "$url/users/1" && echo
curl -s "$url/users/1?page=2" && echo
stop
ls Cassettes/recorded

start replay --cassette recorded
curl -s "$url/users/1" && echo
status "$url/users/2"
stop

echo '{"routes": [{"path": "/users/{id}", "status": 503, "json": {"error": "maintenance"}}]}' > down.json
start serve --cassette recorded --overrides down.json
curl -s -w ' %{http_code}\n' "$url/users/1"
echo '{"routes": []}' > down.json
until [ "$(status "$url/users/1")" = 200 ]; do sleep 0.02; done
curl -s -w ' %{http_code}\n' "$url/users/1"
stop

tapedeck ls recorded --json | json '[(each["method"], each["target"], each["status"]) for each in it]'
tapedeck show recorded get-users-1-43d2ee --body && echo
tapedeck run --cassette recorded -- sh -c 'curl -s "$TAPEDECK_URL/users/1"' 2>>log && echo
tapedeck run --cassette recorded --env 'API={url}/v1' --env PORT='{port}' -- sh -c '[ "$API" = "$TAPEDECK_URL/v1" ] && [ "http://127.0.0.1:$PORT" = "$TAPEDECK_URL" ]' 2>>log
tapedeck verify recorded > /dev/null && echo "no drift"
tapedeck scan recorded > /dev/null && echo "no secrets"
