# What the scripts share: a proxy on a free port, and a reader of JSON.
set -eu

start() {
  rm -f ready
  tapedeck "$@" --port 0 --ready-file ready 2>>log &
  pid=$!
  until [ -s ready ]; do
    kill -0 "$pid" || exit 1
    sleep 0.02
  done
  url=$(cat ready)
}

stop() {
  code=0
  kill -TERM "$pid" && wait "$pid" || code=$?
  echo "exit code $code"
}

# The status of one response: `status URL [CURL OPTION …]`.
status() { curl -s -o /dev/null -w '%{http_code}\n' "$@"; }

# The value of a Python expression about the JSON on standard input, which is `it`.
json() { python3 -c 'import json, sys; it = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

# Tells which of these members the JSON object lacks that the expression selects; it may have others.
members() {
  python3 -c '
import json, sys
it = json.load(sys.stdin)
lacking = [name for name in sys.argv[2:] if name not in eval(sys.argv[1])]
print(sys.argv[1], "lacks", lacking if lacking else "nothing")' "$@"
}

# The exit code of a command that is run for nothing else.

code() {
  code=0
  "$@" >/dev/null 2>>log || code=$?
  echo "$code"
}
