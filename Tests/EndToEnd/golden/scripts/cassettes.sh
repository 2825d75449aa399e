#!/bin/sh
# The verbs that read, compare, check and change cassettes.
. "$(dirname "$0")/proxy.sh"

tapedeck ls --json > list.json
members 'it[0]' name interactions bytes upstream sealed problem < list.json
json 'it[0]["name"], it[0]["interactions"]' < list.json
tapedeck show example /old --curl | sed "s|http://[0-9.:]*|ORIGIN|"
tapedeck show example get-users-1-43d2ee --json | json 'it["response"]["status"] if isinstance(it, dict) else it[0]["response"]["status"]'
tapedeck show Cassettes/example/get-users-1-43d2ee.json | head -1

cp -r Cassettes/example Cassettes/second
sed -i 's|"status": 302|"status": 303|; s|"Found"|"See Other"|' Cassettes/second/get-old-*.json
code tapedeck diff --exit-code example second
tapedeck merge example second --into merged > /dev/null 2>>log
tapedeck merge example second --into first --prefer first > /dev/null 2>>log
tapedeck merge example second --into last --prefer last > /dev/null 2>>log
for each in merged first last; do
  echo "$each $(grep -h '"status"' Cassettes/$each/get-old-*.json | tr -d ' ,' | sort | tr '\n' ' ')"
done

tapedeck run --cassette second --report report.json -- sh -c 'curl -s -o /dev/null "$TAPEDECK_URL/old"' 2>>log
tapedeck trim second --unused report.json --dry-run > /dev/null 2>>log
ls Cassettes/second | wc -l
tapedeck trim second --unused report.json > /dev/null 2>>log
ls Cassettes/second
tapedeck trim second get-old-004ec5.json > /dev/null 2>>log
ls Cassettes/second

for format in har curl vcr vcrpy wiremock hoverfly; do
  tapedeck export example --format "$format" -o "example.$format" 2>>log && [ -e "example.$format" ] && echo "$format"
done
tapedeck import example.har --cassette imported 2>>log
ls Cassettes/imported
tapedeck import example.vcrpy --format vcrpy --cassette imported-2 --match method,path --keep nothing --redact x-mark 2>>log
json 'it["match"]' < Cassettes/imported-2/cassette.json
tapedeck diff --exit-code example.har imported > /dev/null && echo "no difference"

cat > note.txt <<'TEXT'
Authorization: Bearer ghp_16C7e42F292c6912E7710c838347Ae178B4a
TEXT
code tapedeck scan note.txt
tapedeck scan note.txt --json > scan.json 2>>log || members 'it[0]' path files finds problems fixed left < scan.json
members 'it[0]["finds"][0]' file line place name looksLike beginning < scan.json
code tapedeck scan note.txt --fix
code tapedeck scan note.txt
tapedeck schema overrides | members 'it["properties"]' routes resources patches faults
