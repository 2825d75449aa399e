#!/bin/sh
# 0 good, 1 something broke, 2 usage, 3 unmatched requests, 4 a rule that was asked for, and the command's own.
. "$(dirname "$0")/proxy.sh"
cp -r Cassettes/example Cassettes/other && rm Cassettes/other/get-old-*.json

ask='curl -s "$TAPEDECK_URL/$0"'
echo "replayed         $(code tapedeck run --cassette example -- sh -c "$ask" twice)"
echo "unmatched        $(code tapedeck run --cassette example -- sh -c "$ask" nothing)"
echo "the command's    $(code tapedeck run --cassette example -- sh -c "$ask; exit 7" nothing)"
echo "strict, unused   $(code tapedeck run --cassette example --strict -- sh -c "$ask" twice)"
echo "fail-on          $(code tapedeck run --cassette example --fail-on unmatched -- sh -c "$ask" nothing)"
echo "fail-on repeat   $(code tapedeck run --cassette example --fail-on repeat,drift -- sh -c "$ask; $ask" twice)"
echo "drift            $(code tapedeck run --cassette example --match query:ignore=page --fail-on drift -- sh -c "$ask" 'users/1?page=3')"
echo "not there        $(code tapedeck run --cassette example -- ./nothing)"
echo "not executable   $(code tapedeck run --cassette example -- ./Cassettes)"
echo "no such option   $(code tapedeck replay --cassette example --nothing)"
echo "no such verb     $(code tapedeck play)"
echo "no cassette      $(code tapedeck ls nothing)"
echo "no such address  $(code tapedeck replay --cassette example --listen 256.0.0.1:1)"
echo "diff             $(code tapedeck diff example other) $(code tapedeck diff --exit-code example other) $(code tapedeck diff --exit-code example example)"
echo "lint             $(code tapedeck lint example)"
echo '{"routes": [{"path": "/a", "statsu": 1}]}' > wrong.json
echo "lint, errors     $(code tapedeck lint wrong.json)"
echo "serve, errors    $(code tapedeck serve --overrides wrong.json)"
printf 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY\n' > secret.env
echo "scan             $(code tapedeck scan example) $(code tapedeck scan secret.env)"
echo "version, help    $(code tapedeck --version) $(code tapedeck --help) $(code tapedeck help serve)"
