set -eu
# What it trusts beside its own list lies in a store of NSS below HOME.
HOME=$(mktemp -d)
export HOME
trap 'rm -rf "$HOME"' EXIT
mkdir -p "$HOME/.pki/nssdb"
certutil -d "sql:$HOME/.pki/nssdb" -N --empty-password
certutil -d "sql:$HOME/.pki/nssdb" -A -t C,, -n Tapedeck -i "$TAPEDECK_CA"
# A page without an icon's link is followed by a request for one, or not: it races with the browser's end.
script="fetch('$MOTO/moto-api/data.json').then(r => r.text()).then(text => document.querySelector('pre').append(text))"
for page in "$ONE/page.html" "data:text/html,<link rel=\"icon\" href=\"data:,\"><pre></pre><script>$script</script>"; do
  "$1" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$HOME/profile" \
    --virtual-time-budget=20000 --dump-dom "$page" 2>"$HOME/log" || { cat "$HOME/log" >&2; exit 1; }
done
