#!/bin/sh
# What a run leaves: two kinds of report, and lines for machines.
. "$(dirname "$0")/proxy.sh"

start replay --cassette example --report report.json --report-junit report.xml --log-format json --fail-on repeat,drift
echo "$(status "$url/twice") $(status "$url/twice") $(status "$url/nothing")"
stop
members it tapedeck-report cassette mode match exitCode rules broken failure counts interactions unused unmatched \
  otherUnmatched drift otherDrift failures otherFailures originMentions secrets < report.json
json 'it["tapedeck-report"], it["mode"], it["match"], it["exitCode"], it["rules"], it["broken"]' < report.json
members 'it["counts"]' recorded redacted secrets replayed repeated drifted otherClients unmatched unused overridden \
  forwarded failed left oversized upstreamConnections filesWritten filesRemoved < report.json
json 'it["counts"]["replayed"], it["counts"]["repeated"], it["counts"]["unmatched"], it["counts"]["unused"]' < report.json
json '[each["file"] for each in it["interactions"] if each["hits"]]' < report.json
members 'it["unmatched"][0]' method target count detail nearest fix fixes curl < report.json
members 'it["unmatched"][0]["nearest"][0]' file request differences < report.json
members 'it["unmatched"][0]["fixes"][0]' because command < report.json
members 'it["interactions"][0]' file method target status hits repeated drifted < report.json
python3 -c 'import xml.etree.ElementTree as xml; print([suite.get("name") for suite in xml.parse("report.xml").getroot().iter("testsuite")])'
grep -m1 '^{' log | members it time method path target status source durationMicroseconds cutShort file
grep '"/nothing"' log | grep '^{' | json 'it["source"], it["status"], it["target"]'

tapedeck replay --cassette example --port 0 --ready-file ready-2 2>plain & pid=$!
until [ -s ready-2 ]; do sleep 0.02; done
echo "$(status "$(cat ready-2)/twice") $(status "$(cat ready-2)/nothing")"
stop
grep -o '^tapedeck: listening on http://127.0.0.1:' plain
grep -oE '^GET /(twice|nothing) [0-9]+ [a-z]+' plain
