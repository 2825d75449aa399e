set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The index is on one host, the files on another, as on PyPI.
"$PYTHON" -m pip download --quiet --no-cache-dir --disable-pip-version-check --isolated --no-deps \
  --index-url "$ONE/simple/" --dest "$folder" deck-of-cards
(cd "$folder" && sha256sum -- *)
