#!/bin/sh
# What is compared, what follows the last response, and what a miss says.
. "$(dirname "$0")/proxy.sh"

start replay --cassette example --match query:ignore=page --match body:ignore='$.name'
curl -s "$url/users/1?page=7" && echo
curl -s -H 'Content-Type: application/json' -d '{"name": "Eve"}' "$url/users" && echo
stop
start replay --cassette example --match method,path --on-exhausted miss
echo "$(status "$url/twice?a=1") $(status "$url/twice")"
stop
start replay --cassette example --on-exhausted loop --pace 10x --miss-status 404 --explain
status "$url/nothing"
curl -s -D - -o /dev/null "$url/twice" | grep -i '^tapedeck-answer' | tr -d '\r'
curl -s "$url/users/3" > miss.json
members it title status detail request nearest fix fixes curl < miss.json
json 'it["status"], it["request"]["target"], it["nearest"][0]["file"]' < miss.json
stop

for mode in none once new_episodes all passthrough; do
  cp -r Cassettes/example "Cassettes/$mode"
  start serve --mode "$mode" --upstream "$ORIGIN" --cassette "$mode"
  echo "$mode $(status "$url/twice") $(status "$url/new")"
  stop
  echo "$(find "Cassettes/$mode" -name '*.json' | wc -l) files"
done
start record --upstream "$ORIGIN" --cassette rules --match 'headers:X-Tenant' --match query:ignore=ts
curl -s -H 'X-Tenant: a' "$url/users/1?ts=1" && echo
stop
json 'it["match"]' < Cassettes/rules/cassette.json
