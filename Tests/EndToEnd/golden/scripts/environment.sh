#!/bin/sh
# What the environment decides.
. "$(dirname "$0")/proxy.sh"

for value in 1 true yes 0 false No ''; do
  rm -rf Cassettes/new
  CI=$value tapedeck run --upstream "$ORIGIN" --cassette new -- sh -c 'curl -s -o /dev/null "$TAPEDECK_URL/twice"' 2>>log && code=0 || code=$?
  echo "CI='$value' $code $([ -e Cassettes/new ] && echo recorded || echo nothing)"
done
CI=true tapedeck run --mode all --upstream "$ORIGIN" --cassette new -- sh -c 'curl -s -o /dev/null "$TAPEDECK_URL/twice"' 2>>log
ls Cassettes/new
http_proxy=http://127.0.0.1:1 tapedeck run --cassette new -- sh -c 'curl -s "$TAPEDECK_URL/twice"' 2>>log && echo
export TAPEDECK_ADMIN_TOKEN=a-token-of-before-0123456789
start replay --cassette new --admin-port 0 --admin-ready-file admin
curl -s -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $TAPEDECK_ADMIN_TOKEN" "$(cat admin | sed 's|/*$||; s|/v1$||')/v1/journal"
stop
