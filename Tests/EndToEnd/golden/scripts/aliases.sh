#!/bin/sh
# Other tools' names for verbs and options, and the short forms of options.
. "$(dirname "$0")/proxy.sh"

start capture --upstream "$ORIGIN" --tapes-dir Cassettes/a
curl -s "$url/users/1" && echo
stop
start simulate --recording-dir Cassettes/a
curl -s "$url/users/1" && echo
stop
for verb in spy mimic; do
  start "$verb" --upstream "$ORIGIN" --cassette="$verb"
  curl -s "$url/users/1" && echo
  stop
done
tapedeck run --cassette a --report report.json -- sh -c 'curl -s "$TAPEDECK_URL/users/1"' 2>>log && echo
tapedeck ls a --report report.json | grep -c get-users-1
tapedeck merge a spy -o b > /dev/null 2>>log && ls Cassettes/b
tapedeck merge a spy --output c > /dev/null 2>>log && ls Cassettes/c
tapedeck export a -o a.har && tapedeck export a --output b.har && cmp a.har b.har && echo "equal files"
tapedeck verify a -H 'X-Name: a' > /dev/null && echo "no drift"
code tapedeck help capture
