set -eu
# Debian's is built with GnuTLS, which reads no variable.
wget -q --ca-certificate="$SSL_CERT_FILE" --timeout=30 --tries=1 -O - "$ONE/text" "$TWO/text" "$HTTPBIN/uuid" "$MOTO/moto-api/data.json"
