set -eu
curl -sS --max-time 30 "$ONE/text"
curl -sS --max-time 30 "$TWO/text" "$TWO/text?again"
curl -sS --max-time 30 --json '{"name": "Ada"}' "$HTTPBIN/anything"
curl -sS --max-time 30 "$HTTPBIN/uuid"
curl -sS --max-time 30 -X PUT "$MOTO/bucket-curl"
curl -sS --max-time 30 "$MOTO/"
