set -eu
# What it trusts beside its own list lies in a store of NSS below HOME.
HOME=$(mktemp -d)
export HOME
trap 'rm -rf "$HOME"' EXIT
mkdir -p "$HOME/.pki/nssdb"
certutil -d "sql:$HOME/.pki/nssdb" -N --empty-password
certutil -d "sql:$HOME/.pki/nssdb" -A -t C,, -n Tapedeck -i "$TAPEDECK_CA"
for page in "$ONE/page.html" "$MOTO/moto-api/data.json"; do
  "$1" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$HOME/profile" \
    --virtual-time-budget=20000 --dump-dom "$page" 2>"$HOME/log" || { cat "$HOME/log" >&2; exit 1; }
done
