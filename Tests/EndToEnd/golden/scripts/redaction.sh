#!/bin/sh
# Secrets are hidden before anything is written, and requests with them replay.
. "$(dirname "$0")/proxy.sh"

start record --upstream "$ORIGIN" --cassette secret --redact x-internal-key --redact '$.user.email' --redact 'text:ACME-*' --keep X-Plain
ask() {
  curl -s -o /dev/null -w '%{http_code}\n' -H 'Authorization: Bearer 7b1ed2f03c9a44e08c5f6a9d' -H 'X-Internal-Key: 4711-0815' -H 'X-Plain: seen' \
    -H 'Content-Type: application/json' -d '{"user": {"email": "ada@example.com"}, "code": "ACME-1234"}' "$url/users"
}
ask
stop
grep -lE '7b1ed2f0|4711-0815|ada@example|ACME-1234' -r Cassettes/secret || echo "nothing is left"
grep -c 'seen' Cassettes/secret/post-*.json
json 'it["redaction"]["redact"], it["redaction"]["keep"]' < Cassettes/secret/cassette.json
start replay --cassette secret
ask
stop
start record --upstream "$ORIGIN" --cassette plain --no-redact
ask
stop
grep -c 7b1ed2f0 Cassettes/plain/post-*.json
json 'it["redaction"]' < Cassettes/plain/cassette.json
