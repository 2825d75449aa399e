#!/bin/sh
# Steering with `tapedeck ctl`, in the words of before: the request log is called journal.
. "$(dirname "$0")/proxy.sh"

start serve --cassette example --admin-port 0 --admin-ready-file admin --admin-token a-token-of-before-0123456789 --session-header X-Session --journal 8
port=$(sed 's|.*:\([0-9]*\).*|\1|' admin)
export TAPEDECK_ADMIN_TOKEN=a-token-of-before-0123456789
ctl() { tapedeck ctl --admin-port "$port" "$@"; }

ctl health > /dev/null && echo healthy
ctl routes add '{"id": "r", "path": "/users/{id}", "status": 418}' > /dev/null
status "$url/users/1"
ctl routes set r '{"path": "/users/{id}", "status": 503}' > /dev/null
status "$url/users/1"
ctl routes get r | json 'it["id"], it["declaration"]["status"]'
ctl routes rm r > /dev/null
status "$url/users/1"
echo '{"path": "/twice", "headers": {"X-Mark": "patched"}}' > patch.json
ctl patches set p @patch.json > /dev/null
curl -s -D - -o /dev/null "$url/twice" | grep -i x-mark | tr -d '\r'
echo '{"path": "/twice", "type": "empty_response"}' | ctl faults set f - > /dev/null
status "$url/twice" || true
ctl faults clear > /dev/null && ctl patches clear > /dev/null
ctl resources set things '{"path": "/things"}' > /dev/null
ctl data things '[{"id": 1}]' > /dev/null
curl -s "$url/things" && echo
ctl data things | json 'it'
status "$url/nothing"

ctl journal > /dev/null
ctl journal status=502 limit=5 | grep -q /nothing && echo "the miss is there"
ctl journal method=GET path=/twice source=cassette | grep -q /twice && echo "what replayed is there"
ctl journal after=0 limit=1 | grep -q GET && echo "one of them"
ctl journal 1 | grep -q /users/1 && echo "the first"
code ctl verify '{"requests": [{"path": "/nothing", "times": 1}]}'
code ctl verify '{"requests": [{"path": "/nothing", "times": 2}]}'
code ctl verify '{"inOrder": true, "requests": [{"path": "/users/{id}", "status": 418}, {"path": "/things", "source": "store", "times": {"atLeast": 1}}]}'
ctl export har > journal.har && json 'len(it["log"]["entries"]) > 5' < journal.har
ctl export cassette from-journal > /dev/null && ls Cassettes/from-journal | grep -c twice
ctl journal clear > /dev/null
ctl export har | json 'len(it["log"]["entries"])'

ctl sessions begin one > /dev/null
tapedeck ctl --admin-port "$port" --session one routes add '{"path": "/twice", "status": 204}' > /dev/null
echo "$(status -H 'X-Session: one' "$url/twice") $(status "$url/twice")"
ctl sessions > /dev/null && ctl sessions rm one > /dev/null
ctl mode none > /dev/null && ctl eject > /dev/null
status "$url/twice"
ctl cassette example none > /dev/null
status "$url/twice"
ctl reset > /dev/null && ctl reset journal > /dev/null
ctl export har | json 'len(it["log"]["entries"])'
stop
