"""Secrets in the places where public APIs and tools really put them, written from their own documentation.

Every entry names its source: a rule of a public secret scanner, or a page that documents the format. The values are
generated in the documented shape, so no literal that a scanner would refuse stands here, and each is used once, so
that only its own place can give it away.
"""

import base64
import gzip
import html
import json
import random
import re
import zlib
from dataclasses import dataclass
from urllib.parse import quote

ALPHABETS = {
    "w": "abcdefghijklmnopqrstuvwxyz0123456789", "W": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "x": "0123456789abcdef", "X": "0123456789ABCDEF", "d": "0123456789", "a": "abcdefghijklmnopqrstuvwxyz",
    "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "s": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
}
ALPHABETS["u"] = ALPHABETS["s"] + "-_"
ALPHABETS["b"] = ALPHABETS["s"] + "+/"
SEED_WORDS = (
    "abandon ability absorb acoustic balcony bamboo cabbage cactus damage dance eager eagle fabric faculty gadget "
    "galaxy hammer hamster icon identify jacket jaguar kangaroo ketchup ladder lamp machine magnet naive napkin oak "
    "obey paddle palace quality quantum rabbit raccoon sadness saddle tackle talent umbrella unaware vacant vacuum "
    "wage wagon yard zebra").split()

_random = random.Random(20260101)


def generated(shape: str) -> str:
    """A value of this shape: `%s24` stands for 24 letters and digits, `%d6` for six digits; the rest is literal."""

    def run(match) -> str:
        kind, count = match[1], int(match[2])
        if kind == "seed":
            return " ".join(_random.sample(SEED_WORDS, count))
        if kind == "p":
            return password(count)
        return "".join(_random.choice(ALPHABETS[kind]) for _ in range(count))

    return re.sub(r"%(seed|[wWxXdaAsubp])(\d+)", run, shape)


def password(length: int) -> str:
    """What a person would choose: letters, some digits, a sign."""
    word = "".join(_random.choice("bcdfgklmnprst") + _random.choice("aeiou") for _ in range(length // 2))
    return word[: length - 4].capitalize() + "".join(_random.choice(ALPHABETS["d"]) for _ in range(3)) + "!"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FILTERS = {
    "b64": b64, "url": lambda text: quote(text, safe=""), "json": lambda text: json.dumps(text)[1:-1],
    "xml": html.escape, "hex": lambda text: text.encode().hex(),
    "lines": lambda text: "\n".join(text[at:at + 64] for at in range(0, len(text), 64)),
    "b64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "reversed": lambda text: text[::-1],
}


@dataclass
class Message:
    start: str
    fields: list[str]
    body: bytes
    trailers: list[str]

    @property
    def wire(self) -> bytes:
        head = [self.start, *self.fields]
        if "Transfer-Encoding: chunked" in self.fields:
            pieces = [self.body[at:at + 23] for at in range(0, len(self.body), 23)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n"
            body += "".join(line + "\r\n" for line in self.trailers).encode() + b"\r\n"
        else:
            body = self.body
            if body or self.start.startswith("HTTP"):
                head.append(f"Content-Length: {len(body)}")
        return "\r\n".join(head).encode() + b"\r\n\r\n" + body


@dataclass
class Entry:
    number: int
    name: str
    source: str
    secret: str
    ask: Message
    answer: Message

    def changed(self) -> Message:
        """The same request for something that was never recorded."""
        method, target, version = self.ask.start.split(" ")
        target += ("&" if "?" in target else "?") + "unrecorded=1"
        return Message(f"{method} {target} {version}", self.ask.fields, self.ask.body, self.ask.trailers)

    @property
    def story(self) -> str:
        """Both messages as text, for whoever has to reproduce a leak."""
        return "\n".join(">>" + line for line in self.ask.wire.decode(errors="replace").splitlines()) + "\n" + \
            "\n".join("<<" + line for line in self.answer.wire.decode(errors="replace").splitlines())


ENTRIES: list[Entry] = []


def put(name: str, source: str, shape: str, *messages: str) -> None:
    """Adds an entry. `«$»` in a message is the secret, `«user:$|b64»` the base64 of it with a user's name."""
    number, secret = len(ENTRIES) + 1, generated(shape)
    assert all(entry.name != name for entry in ENTRIES), name
    assert any("«" in message for message in messages), name
    ask = next((each for each in messages if not each[0].isdigit()), f"GET /things/{number}")
    answer = next((each for each in messages if each[0].isdigit()), J("200 OK", '{"ok": true}'))
    ENTRIES.append(Entry(number, name, source, secret, message(ask, number, secret), message(answer, number, secret)))


def message(text: str, number: int, secret: str) -> Message:
    head, _, body = text.partition("\n\n")
    body, _, trailers = body.partition("\n~~\n")

    def fill(part: str) -> str:
        def value(match) -> str:
            text, *filters = match[1].split("|")
            text = text.replace("$", secret)
            for each in filters:
                text = FILTERS[each](text)
            return text
        return re.sub("«(.*?)»", value, part, flags=re.S)

    start, *fields = fill(head).split("\n")
    start = f"HTTP/1.1 {start}" if start[0].isdigit() else f"{start} HTTP/1.1\r\nHost: api.example.com"
    start, *more = start.split("\r\n")
    content = fill(body).encode()
    match next((field for field in fields if field.startswith("Content-Encoding: ")), "").partition(": ")[2]:
        case "gzip":
            content = gzip.compress(content, mtime=0)
        case "deflate":
            content = zlib.compress(content)
    return Message(start, [*more, *fields, f"X-Case: {number}"], content, fill(trailers).splitlines())


def typed(kind: str):
    return lambda start, body, *fields: "\n".join([start, f"Content-Type: {kind}", *fields]) + "\n\n" + body


J = typed("application/json")
F = typed("application/x-www-form-urlencoded")
X = typed("text/xml; charset=utf-8")
T = typed("text/plain; charset=utf-8")
H = typed("text/html; charset=utf-8")
Y = typed("application/yaml")


def multipart(start: str, *parts: str) -> str:
    """A form whose parts are given as fields of `Content-Disposition`, an empty line and the content."""
    lines = "".join(f"--xyzzy\r\nContent-Disposition: form-data; {part}\r\n" for part in parts)
    return f"{start}\nContent-Type: multipart/form-data; boundary=xyzzy\n\n{lines}--xyzzy--\r\n"


def part(name: str, content: str) -> str:
    return f"{name}\r\n\r\n{content}"


# Tokens of services, each where its SDK sends it: name, source, shape, request line, the field that carries it.
for _name, _source, _shape, _line, _field in [
    ("stripe-secret", "gitleaks:stripe-access-token", "sk_live_%s24", "GET /v1/charges", "Authorization: Bearer «$»"),
    ("stripe-basic", "https://docs.stripe.com/api/authentication", "rk_live_%s24", "GET /v1/refunds", "Authorization: Basic «$:|b64»"),
    ("openai-project", "gitleaks:openai-api-key", "sk-proj-%u48T3BlbkFJ%u48", "GET /v1/models", "Authorization: Bearer «$»"),
    ("anthropic", "gitleaks:anthropic-api-key", "sk-ant-api03-%u93AA", "GET /v1/models", "x-api-key: «$»"),
    ("slack-bot", "gitleaks:slack-bot-token", "xoxb-%d12-%d12-%s24", "GET /api/auth.test", "Authorization: Bearer «$»"),
    ("github-classic", "gitleaks:github-pat", "ghp_%s36", "GET /user", "Authorization: token «$»"),
    ("github-fine", "gitleaks:github-fine-grained-pat", "github_pat_%s22_%s59", "GET /user/repos", "Authorization: Bearer «$»"),
    ("gitlab-pat", "gitleaks:gitlab-pat", "glpat-%u20", "GET /api/v4/projects", "PRIVATE-TOKEN: «$»"),
    ("gitlab-job", "https://docs.gitlab.com/ee/ci/jobs/ci_job_token.html", "glcbt-%s2_%u20", "GET /api/v4/job", "JOB-TOKEN: «$»"),
    ("gitlab-deploy", "https://docs.gitlab.com/ee/user/packages/", "gldt-%u20", "GET /api/v4/packages", "Deploy-Token: «$»"),
    ("twilio-basic", "trufflehog:twilio", "%x32", "GET /2010-04-01/Accounts.json", "Authorization: Basic «AC0123:$|b64»"),
    ("sendgrid", "gitleaks:sendgrid-api-token", "SG.%u22.%u43", "GET /v3/scopes", "Authorization: Bearer «$»"),
    ("discord-bot", "detect-secrets:DiscordBotTokenDetector", "M%s23.%u6.%u27", "GET /api/v10/users/@me", "Authorization: Bot «$»"),
    ("vault-token", "gitleaks:vault-service-token", "hvs.%u90", "GET /v1/sys/mounts", "X-Vault-Token: «$»"),
    ("consul-token", "https://developer.hashicorp.com/consul/api-docs", "%x8-%x4-4%x3-a%x3-%x12", "GET /v1/agent/self", "X-Consul-Token: «$»"),
    ("nomad-token", "https://developer.hashicorp.com/nomad/api-docs", "%x8-%x4-4%x3-b%x3-%x12", "GET /v1/jobs", "X-Nomad-Token: «$»"),
    ("databricks", "gitleaks:databricks-api-token", "dapi%x32", "GET /api/2.0/clusters/list", "Authorization: Bearer «$»"),
    ("snowflake", "https://docs.snowflake.com/en/developer-guide/sql-api/", "%s120", "GET /api/v2/statements/1", 'Authorization: Snowflake Token="«$»"'),
    ("shopify", "gitleaks:shopify-access-token", "shpat_%x32", "GET /admin/api/2024-01/shop.json", "X-Shopify-Access-Token: «$»"),
    ("mailgun-basic", "gitleaks:mailgun-private-api-token", "key-%x32", "GET /v3/domains", "Authorization: Basic «api:$|b64»"),
    ("google-api-key", "gitleaks:gcp-api-key", "AIza%u35", "GET /storage/v1/b", "x-goog-api-key: «$»"),
    ("google-oauth", "trufflehog:gcp", "ya29.%u120", "GET /oauth2/v3/userinfo", "Authorization: Bearer «$»"),
    ("aws-session", "https://docs.aws.amazon.com/IAM/latest/UserGuide/", "IQoJb3JpZ2lu%b180=", "GET /bucket?list-type=2", "X-Amz-Security-Token: «$»"),
    ("azure-functions", "https://learn.microsoft.com/azure/azure-functions/", "%u52==", "GET /api/HttpTrigger", "x-functions-key: «$»"),
    ("azure-apim", "https://learn.microsoft.com/azure/api-management/", "%x32", "GET /echo/resource", "Ocp-Apim-Subscription-Key: «$»"),
    ("azure-openai", "https://learn.microsoft.com/azure/ai-services/openai/", "%s84", "GET /openai/deployments", "api-key: «$»"),
    ("azure-cosmos", "https://learn.microsoft.com/rest/api/cosmos-db/", "%b86==", "GET /dbs", "Authorization: type%3Dmaster%26ver%3D1.0%26sig%3D«$|url»"),
    ("azure-sharedkey", "https://learn.microsoft.com/rest/api/storageservices/", "%b43=", "GET /container?restype=container", "Authorization: SharedKey account:«$»"),
    ("azure-eventhub", "https://learn.microsoft.com/rest/api/eventhub/", "%b43=", "GET /hub/messages", "Authorization: SharedAccessSignature sr=hub&sig=«$|url»&se=1700000000&skn=Root"),
    ("datadog-api", "gitleaks:datadog-access-token", "%x32", "GET /api/v1/validate", "DD-API-KEY: «$»"),
    ("datadog-app", "gitleaks:datadog-access-token", "%x40", "GET /api/v1/dashboard", "DD-APPLICATION-KEY: «$»"),
    ("newrelic", "gitleaks:new-relic-user-api-key", "NRAK-%W27", "GET /v2/applications.json", "Api-Key: «$»"),
    ("newrelic-insert", "gitleaks:new-relic-insert-key", "NRII-%u32", "GET /v1/accounts/1/query", "X-Insert-Key: «$»"),
    ("newrelic-license", "https://docs.newrelic.com/docs/apis/", "%x36NRAL", "GET /trace/v1", "X-License-Key: «$»"),
    ("algolia", "gitleaks:algolia-api-key", "%x32", "GET /1/indexes", "X-Algolia-API-Key: «$»"),
    ("airtable", "gitleaks:airtable-personnal-access-token", "pat%s14.%x64", "GET /v0/app1/Table", "Authorization: Bearer «$»"),
    ("notion", "gitleaks:notion-api-token", "ntn_%d11%s35", "GET /v1/users", "Authorization: Bearer «$»"),
    ("linear", "gitleaks:linear-api-key", "lin_api_%s40", "GET /graphql", "Authorization: «$»"),
    ("huggingface", "gitleaks:huggingface-access-token", "hf_%s34", "GET /api/whoami-v2", "Authorization: Bearer «$»"),
    ("npm-token", "gitleaks:npm-access-token", "npm_%s36", "GET /-/whoami", "Authorization: Bearer «$»"),
    ("npm-otp", "https://docs.npmjs.com/cli/commands/npm-publish", "%d6", "GET /-/npm/v1/tokens", "npm-otp: «$»"),
    ("github-otp", "https://docs.github.com/rest/authentication", "%d6", "GET /authorizations", "X-GitHub-OTP: «$»"),
    ("pypi-upload", "gitleaks:pypi-upload-token", "pypi-AgEIcHlwaS5vcmc%u80", "GET /legacy/", "Authorization: Basic «__token__:$|b64»"),
    ("heroku", "gitleaks:heroku-api-key", "HRKU-AA%u58", "GET /apps", "Authorization: Bearer «$»"),
    ("digitalocean", "gitleaks:digitalocean-pat", "dop_v1_%x64", "GET /v2/droplets", "Authorization: Bearer «$»"),
    ("cloudflare-key", "gitleaks:cloudflare-global-api-key", "%x37", "GET /client/v4/zones", "X-Auth-Key: «$»"),
    ("cloudflare-origin", "gitleaks:cloudflare-origin-ca-key", "v1.0-%x24-%x146", "GET /client/v4/certificates", "X-Auth-User-Service-Key: «$»"),
    ("okta-ssws", "gitleaks:okta-access-token", "00%u40", "GET /api/v1/users", "Authorization: SSWS «$»"),
    ("pagerduty", "trufflehog:pagerdutyapikey", "u+%u18", "GET /incidents", "Authorization: Token token=«$»"),
    ("opsgenie", "https://docs.opsgenie.com/docs/authentication", "%x8-%x4-4%x3-9%x3-%x12", "GET /v2/alerts", "Authorization: GenieKey «$»"),
    ("elastic-apikey", "https://www.elastic.co/guide/en/elasticsearch/reference/", "%s58==", "GET /_cluster/health", "Authorization: ApiKey «$»"),
    ("grafana", "gitleaks:grafana-service-account-token", "glsa_%s32_%x8", "GET /api/org", "Authorization: Bearer «$»"),
    ("sentry-auth", "https://develop.sentry.dev/sdk/overview/", "%x32", "GET /api/1/store/", "X-Sentry-Auth: Sentry sentry_version=7, sentry_key=0, sentry_secret=«$»"),
    ("telegram-secret", "https://core.telegram.org/bots/api#setwebhook", "%u40", "POST /hook/telegram", "X-Telegram-Bot-Api-Secret-Token: «$»"),
    ("stripe-signature", "https://docs.stripe.com/webhooks/signature", "%x64", "POST /hook/stripe", "Stripe-Signature: t=1700000000,v1=«$»"),
    ("github-signature", "https://docs.github.com/webhooks", "%x64", "POST /hook/github", "X-Hub-Signature-256: sha256=«$»"),
    ("slack-signature", "https://api.slack.com/authentication/verifying-requests-from-slack", "%x64", "POST /hook/slack", "X-Slack-Signature: v0=«$»"),
    ("trello-oauth1", "https://datatracker.ietf.org/doc/html/rfc5849", "%b27=", "GET /1/boards", 'Authorization: OAuth oauth_consumer_key="k", oauth_nonce="n", oauth_signature="«$|url»"'),
    ("oauth1-token", "https://datatracker.ietf.org/doc/html/rfc5849", "%d18-%s31", "GET /1.1/statuses", 'Authorization: OAuth oauth_consumer_key="k", oauth_token="«$»", oauth_signature_method="HMAC-SHA1"'),
    ("digest", "https://datatracker.ietf.org/doc/html/rfc7616", "%x32", "GET /private", 'Authorization: Digest username="u", realm="r", nonce="n", uri="/private", response="«$»"'),
    ("hawk", "https://github.com/mozilla/hawk", "%b43=", "GET /hawk", 'Authorization: Hawk id="d", ts="1700000000", nonce="n", mac="«$»"'),
    ("negotiate", "https://datatracker.ietf.org/doc/html/rfc4559", "YIIG%b180", "GET /kerberos", "Authorization: Negotiate «$»"),
    ("basic-no-user", "https://learn.microsoft.com/azure/devops/integrate/", "%p14", "GET /_apis/projects", "Authorization: Basic «:$|b64»"),
    ("csrf-header", "https://docs.djangoproject.com/en/stable/howto/csrf/", "%s64", "POST /form", "X-CSRFToken: «$»"),
    ("xsrf-header", "https://angular.dev/best-practices/security", "%u43", "POST /angular", "X-XSRF-TOKEN: «$»"),
    ("session-header", "https://www.odoo.com/documentation/", "%x40", "GET /web/session", "X-Openerp-Session-Id: «$»"),
    ("openstack", "https://docs.openstack.org/api-ref/identity/v3/", "gAAAAAB%u180", "GET /v3/projects", "X-Auth-Token: «$»"),
    ("openstack-subject", "https://docs.openstack.org/api-ref/identity/v3/", "gAAAAAB%u170", "GET /v3/auth/tokens", "X-Subject-Token: «$»"),
    ("gcp-iap", "https://cloud.google.com/iap/docs/signed-headers-howto", "%u86", "GET /iap", "X-Goog-IAP-JWT-Assertion: «{\"alg\":\"ES256\"}|b64url».«{\"sub\":\"1\"}|b64url».«$»"),
    ("aws-oidc", "https://docs.aws.amazon.com/elasticloadbalancing/", "%u86", "GET /alb", "X-Amzn-Oidc-Data: «{\"alg\":\"ES256\"}|b64url».«{\"sub\":\"2\"}|b64url».«$»"),
    ("cf-access", "https://developers.cloudflare.com/cloudflare-one/", "%x64", "GET /access", "CF-Access-Client-Secret: «$»"),
    ("rapidapi", "trufflehog:rapidapi", "%u50", "GET /rapid", "X-RapidAPI-Key: «$»"),
    ("parse-master", "https://docs.parseplatform.org/rest/guide/", "%s40", "GET /parse/classes/A", "X-Parse-Master-Key: «$»"),
    ("parse-session", "https://docs.parseplatform.org/rest/guide/", "r:%x32", "GET /parse/users/me", "X-Parse-Session-Token: «$»"),
    ("couch-cookie", "https://docs.couchdb.org/en/stable/api/server/authn.html", "%u43", "GET /_session", "Cookie: AuthSession=«$»"),
    ("php-cookie", "https://www.php.net/manual/en/session.configuration.php", "%w26", "GET /index.php", "Cookie: lang=de; PHPSESSID=«$»; theme=dark"),
    ("wp-cookie", "https://developer.wordpress.org/", "admin%7C1700000000%7C%s43%7C%x64", "GET /wp-admin/", "Cookie: wordpress_logged_in_0a1b=«$»"),
    ("ms-prefer", "https://learn.microsoft.com/azure/search/", "%s52", "GET /indexes", "api-key: «$»"),
    ("mongodb-atlas", "https://www.mongodb.com/docs/atlas/api/", "%x32", "GET /api/atlas/v2/groups", 'Authorization: Digest username="pub", realm="MMS", nonce="a", cnonce="b", response="«$»"'),
    ("amz-copy-key", "https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerSideEncryptionCustomerKeys.html", "%b43=", "GET /bucket/sse-c", "x-amz-server-side-encryption-customer-key: «$»"),
    ("goog-csek", "https://cloud.google.com/storage/docs/encryption/customer-supplied-keys", "%b43=", "GET /bucket/csek", "x-goog-encryption-key: «$»"),
    ("azure-cpk", "https://learn.microsoft.com/azure/storage/blobs/encryption-customer-provided-keys", "%b43=", "GET /blob/cpk", "x-ms-encryption-key: «$»"),
    ("websocket-protocol", "https://kubernetes.io/docs/reference/access-authn-authz/", "%u180", "GET /api/v1/pods/exec", "Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.«$|b64url», v4.channel.k8s.io"),
    ("clickhouse", "https://clickhouse.com/docs/en/interfaces/http", "%p16", "GET /?query=SELECT+1", "X-ClickHouse-Key: «$»"),
    ("meraki", "gitleaks:cisco-meraki-api-key", "%x40", "GET /api/v1/organizations", "X-Cisco-Meraki-API-Key: «$»"),
    ("jfrog", "gitleaks:artifactory-api-key", "AKCp%s69", "GET /artifactory/api/repositories", "X-JFrog-Art-Api: «$»"),
    ("plex", "https://support.plex.tv/articles/204059436", "%s20", "GET /library/sections", "X-Plex-Token: «$»"),
    ("emby", "https://github.com/jellyfin/jellyfin", "%x32", "GET /System/Info", 'Authorization: MediaBrowser Client="c", Device="d", Token="«$»"'),
    ("bugsnag", "https://docs.bugsnag.com/api/", "%x32", "POST /notify", "Bugsnag-Api-Key: «$»"),
    ("referer-token", "https://owasp.org/www-community/vulnerabilities/Information_exposure_through_query_strings_in_url", "%u40", "GET /logo.png", "Referer: https://app.example.com/reset?token=«$»"),
]:
    put(_name, _source, _shape, f"{_line}\n{_field}")

# Secrets in targets: name, source, shape, target.
for _name, _source, _shape, _target in [
    ("google-key-query", "https://developers.google.com/maps/documentation/geocoding", "AIza%u35", "/maps/api/geocode/json?address=Bonn&key=«$»"),
    ("telegram-path", "detect-secrets:TelegramBotTokenDetector", "%d10:AA%u33", "/bot«$»/getMe"),
    ("slack-webhook", "gitleaks:slack-webhook-url", "T%W10/B%W10/%s24", "/services/«$»"),
    ("discord-webhook", "trufflehog:discordwebhook", "%u68", "/api/webhooks/123456789012345678/«$»"),
    ("teams-webhook", "gitleaks:microsoft-teams-webhook", "%x32", "/webhookb2/0a1b2c3d-1111-4222-8333-0123456789ab@0a1b2c3d-1111-4222-8333-0123456789ac/IncomingWebhook/«$»/0a1b2c3d-1111-4222-8333-0123456789ad"),
    ("azure-sas", "https://learn.microsoft.com/rest/api/storageservices/create-service-sas", "%b43=", "/container/blob?sv=2022-11-02&se=2030-01-01&sr=b&sp=r&sig=«$|url»"),
    ("s3-presigned", "https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html", "%x64", "/bucket/object?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60&X-Amz-Signature=«$»"),
    ("s3-v2", "https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html", "%b27=", "/bucket/v2?Expires=1700000000&Signature=«$|url»"),
    ("gcs-signed", "https://cloud.google.com/storage/docs/access-control/signed-urls", "%x512", "/bucket/gcs?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=«$»"),
    ("cloudfront", "https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/", "%u342__", "/film.mp4?Expires=1700000000&Key-Pair-Id=K1&Signature=«$»"),
    ("alibaba-cdn", "https://www.alibabacloud.com/help/en/cdn/", "%x32", "/image.jpg?auth_key=1700000000-0-0-«$»"),
    ("openweather", "trufflehog:openweather", "%x32", "/data/2.5/weather?q=Bonn&appid=«$»"),
    ("oauth-code", "https://datatracker.ietf.org/doc/html/rfc6749#section-4.1.2", "4/0A%u70", "/callback?code=«$|url»&state=xyz"),
    ("reset-query", "secrets-patterns-db:reset_password_token", "%u20", "/users/password/edit?reset_password_token=«$»"),
    ("reset-path", "https://docs.djangoproject.com/en/stable/topics/auth/default/", "%w6-%x32", "/accounts/reset/MQ/«$»/"),
    ("confirm-query", "https://github.com/heartcombo/devise", "%u20", "/users/confirmation?confirmation_token=«$»"),
    ("cas-ticket", "https://apereo.github.io/cas/development/protocol/CAS-Protocol-Specification.html", "ST-%d5-%u30-cas01", "/cas/serviceValidate?service=https%3A%2F%2Fa.example&ticket=«$»"),
    ("cas-proxy", "https://apereo.github.io/cas/development/protocol/CAS-Protocol-Specification.html", "PGT-%d3-%u60-cas02", "/cas/proxy?targetService=x&pgt=«$»"),
    ("user-in-url", "detect-secrets:BasicAuthDetector", "%p14", "/fetch?url=https%3A%2F%2Falice%3A«$|url»%40example.com%2F"),
    ("matrix-query", "https://spec.matrix.org/latest/client-server-api/", "syt_%u12_%s20_%s6", "/_matrix/client/v3/sync?access_token=«$»"),
    ("java-session", "https://jakarta.ee/specifications/servlet/", "%X32", "/app/page;jsessionid=«$»?x=1"),
    ("gitlab-feed", "gitleaks:gitlab-feed-token", "glft-%u20", "/dashboard.atom?feed_token=«$»"),
    ("calendar", "https://support.google.com/calendar/answer/37648", "private-%x32", "/calendar/ical/a%40example.com/«$»/basic.ics"),
    ("trello-token", "https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/", "ATTA%x72", "/1/members/me?key=abc&token=«$»"),
    ("hub-verify", "https://developers.facebook.com/docs/graph-api/webhooks/", "%u24", "/hook/meta?hub.mode=subscribe&hub.verify_token=«$»&hub.challenge=1"),
    ("facebook-proof", "https://developers.facebook.com/docs/graph-api/guides/secure-requests", "%x64", "/v19.0/me?appsecret_proof=«$»"),
    ("facebook-token", "gitleaks:facebook-page-access-token", "EAA%s160", "/v19.0/me/accounts?access_token=«$»"),
    ("sms-gateway", "https://www.clickatell.com/developers/", "%p12", "/http/sendmsg?user=u&password=«$»&to=1&text=hi"),
    ("jellyfin", "https://api.jellyfin.org/", "%x32", "/Items?api_key=«$»&Limit=1"),
    ("subsonic-plain", "http://www.subsonic.org/pages/api.jsp", "enc:%x22", "/rest/ping.view?u=joe&p=«$»&v=1.12.0&c=x"),
    ("influx-v1", "https://docs.influxdata.com/influxdb/v1/tools/api/", "%p12", "/query?u=admin&p=«$»&q=SHOW+DATABASES"),
    ("wechat-secret", "https://developers.weixin.qq.com/doc/", "%x32", "/cgi-bin/token?grant_type=client_credential&appid=wx1&secret=«$»"),
    ("pusher", "https://pusher.com/docs/channels/library_auth_reference/rest-api/", "%x64", "/apps/3/events?auth_key=2&auth_version=1.0&auth_signature=«$»"),
    ("zapier-hook", "trufflehog:zapierwebhook", "%d7/%w7", "/hooks/catch/«$»/"),
    ("ngrok-user", "https://ngrok.com/docs", "%d1%u26_%u20", "/connect?authtoken=«$»"),
    ("jenkins-remote", "https://www.jenkins.io/doc/book/using/remote-access-api/", "11%x32", "/job/build/build?token=«$»"),
    ("saml-redirect", "https://docs.oasis-open.org/security/saml/v2.0/", "%b160", "/sso?SAMLResponse=«$|url»"),
    ("invite", "https://docs.github.com/", "%u32", "/join?invitation_token=«$»"),
    ("unsubscribe", "https://datatracker.ietf.org/doc/html/rfc8058", "%u43", "/unsubscribe?email=a%40example.com&token=«$»"),
    ("zoom-pwd", "https://support.zoom.us/", "%s32.1", "/j/123456789?pwd=«$»"),
    ("matrix-param", "https://www.w3.org/DesignIssues/MatrixURIs.html", "%u32", "/map;access_token=«$»/tiles"),
    ("mapbox", "gitleaks:mapbox-api-token", "pk.%s60.%s22", "/styles/v1/mapbox?access_token=«$»"),
    ("magic-link", "https://auth0.com/docs/authenticate/passwordless", "%d6", "/passwordless/verify_redirect?connection=email&verification_code=«$»"),
    ("double-encoded", "https://owasp.org/www-community/Double_Encoding", "%u40", "/login?next=%252Fcb%253Faccess_token%253D«$»"),
]:
    put(_name, _source, _shape, f"GET {_target}")

# Secrets in JSON, at the real nesting of the API: name, source, shape, request line or status, body.
for _name, _source, _shape, _start, _body in [
    ("dynamodb-attribute", "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html", "%p16", "200 OK", '{"Item": {"user": {"S": "alice"}, "password": {"S": "«$»"}}}'),
    ("dynamodb-map", "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html", "%u40", "POST /ddb1", '{"TableName": "t", "Item": {"settings": {"M": {"api_key": {"S": "«$»"}}}}}'),
    ("dynamodb-expression", "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html", "%u36", "POST /ddb2", '{"UpdateExpression": "SET #t = :token", "ExpressionAttributeValues": {":token": {"S": "«$»"}}}'),
    ("secretsmanager-get", "https://docs.aws.amazon.com/secretsmanager/latest/apireference/", "%p16", "200 OK", '{"Name": "prod/db", "SecretString": "{\\"username\\":\\"u\\",\\"password\\":\\"«$»\\"}"}'),
    ("secretsmanager-plain", "https://docs.aws.amazon.com/secretsmanager/latest/apireference/", "%u32", "POST /secretsmanager", '{"Name": "prod/x", "SecretString": "«$»"}'),
    ("secretsmanager-binary", "https://docs.aws.amazon.com/secretsmanager/latest/apireference/", "%u33", "200 OK", '{"Name": "prod/y", "SecretBinary": "«$|b64»"}'),
    ("ssm-secure", "https://docs.aws.amazon.com/systems-manager/latest/APIReference/", "%p18", "200 OK", '{"Parameter": {"Name": "/prod/db/pw", "Type": "SecureString", "Value": "«$»"}}'),
    ("sts", "https://docs.aws.amazon.com/STS/latest/APIReference/", "%b40", "200 OK", '{"Credentials": {"AccessKeyId": "x", "SecretAccessKey": "«$»", "Expiration": 1.7e9}}'),
    ("aws-key-id", "gitleaks:aws-access-token", "AKIA%W16", "200 OK", '{"AccessKey": {"UserName": "bob", "AccessKeyId": "«$»", "Status": "Active"}}'),
    ("kms-plaintext", "https://docs.aws.amazon.com/kms/latest/APIReference/API_GenerateDataKey.html", "%b43=", "200 OK", '{"CiphertextBlob": "AQ==", "Plaintext": "«$»", "KeyId": "k"}'),
    ("cognito-auth", "https://docs.aws.amazon.com/cognito/", "%p14", "POST /cognito1", '{"AuthFlow": "USER_PASSWORD_AUTH", "AuthParameters": {"USERNAME": "a", "PASSWORD": "«$»"}}'),
    ("cognito-hash", "https://docs.aws.amazon.com/cognito/", "%b43=", "POST /cognito2", '{"AuthParameters": {"SECRET_HASH": "«$»"}}'),
    ("cognito-code", "https://docs.aws.amazon.com/cognito/", "%d6", "POST /cognito3", '{"ConfirmationCode": "«$»", "Username": "a"}'),
    ("lambda-environment", "https://docs.aws.amazon.com/lambda/latest/api/", "%p16", "200 OK", '{"FunctionName": "f", "Environment": {"Variables": {"DB_PASSWORD": "«$»"}}}'),
    ("ecs-environment", "https://docs.aws.amazon.com/AmazonECS/latest/APIReference/", "%p16", "POST /ecs", '{"containerDefinitions": [{"environment": [{"name": "DB_PASSWORD", "value": "«$»"}]}]}'),
    ("ecr-token", "https://docs.aws.amazon.com/AmazonECR/latest/APIReference/", "%s120", "200 OK", '{"authorizationData": [{"authorizationToken": "«AWS:$|b64»", "proxyEndpoint": "https://x"}]}'),
    ("rds-master", "https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/", "%p16", "POST /rds", '{"MasterUsername": "root", "MasterUserPassword": "«$»"}'),
    ("firestore", "https://firebase.google.com/docs/firestore/reference/rest/", "%p16", "200 OK", '{"fields": {"password": {"stringValue": "«$»"}, "name": {"stringValue": "Ann"}}}'),
    ("firestore-map", "https://firebase.google.com/docs/firestore/reference/rest/", "%u32", "200 OK", '{"fields": {"auth": {"mapValue": {"fields": {"apiKey": {"stringValue": "«$»"}}}}}}'),
    ("gcp-secretmanager", "https://cloud.google.com/secret-manager/docs/reference/rest", "%u30", "200 OK", '{"name": "projects/1/secrets/db/versions/1", "payload": {"data": "«$|b64»", "dataCrc32c": "1"}}'),
    ("gcp-private-key", "gitleaks:private-key", "%b64", "200 OK", '{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\n«$»\\n-----END PRIVATE KEY-----\\n"}'),
    ("gcp-key-data", "https://cloud.google.com/iam/docs/reference/rest/v1/projects.serviceAccounts.keys", "%s90", "200 OK", '{"name": "projects/p/serviceAccounts/s/keys/1", "privateKeyData": "«$|b64»"}'),
    ("firebase-login", "https://firebase.google.com/docs/reference/rest/auth", "AMf-vB%u150", "200 OK", '{"localId": "1", "refreshToken": "«$»", "expiresIn": "3600"}'),
    ("firebase-oob", "https://firebase.google.com/docs/reference/rest/auth", "%u54", "POST /v1/accounts:resetPassword", '{"oobCode": "«$»", "requestType": "PASSWORD_RESET"}'),
    ("fcm-device", "https://firebase.google.com/docs/cloud-messaging", "%u22:APA91b%u134", "POST /v1/projects/p/messages:send", '{"message": {"token": "«$»", "notification": {"title": "x"}}}'),
    ("azure-storage-keys", "https://learn.microsoft.com/rest/api/storagerp/storage-accounts/list-keys", "%b86==", "200 OK", '{"keys": [{"keyName": "key1", "value": "«$»", "permissions": "FULL"}]}'),
    ("azure-connection", "detect-secrets:AzureStorageKeyDetector", "%b86==", "200 OK", '{"properties": {"AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«$»;EndpointSuffix=core.windows.net"}}'),
    ("azure-servicebus", "https://learn.microsoft.com/azure/service-bus-messaging/", "%b43=", "200 OK", '{"primaryConnectionString": "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«$»"}'),
    ("azure-keyvault", "https://learn.microsoft.com/rest/api/keyvault/", "%p20", "200 OK", '{"value": "«$»", "id": "https://v.vault.azure.net/secrets/db-password/1", "attributes": {"enabled": true}}'),
    ("azure-ad-password", "gitleaks:azure-ad-client-secret", "abc8Q~%s34", "200 OK", '{"displayName": "app", "secretText": "«$»", "hint": "abc"}'),
    ("azure-cosmos-keys", "https://learn.microsoft.com/rest/api/cosmos-db-resource-provider/", "%b86==", "200 OK", '{"primaryMasterKey": "«$»"}'),
    ("azure-acr", "https://learn.microsoft.com/rest/api/containerregistry/", "%s52", "200 OK", '{"username": "reg", "passwords": [{"name": "password", "value": "«$»"}]}'),
    ("openai-session", "https://platform.openai.com/docs/api-reference/realtime-sessions", "ek_%x32", "200 OK", '{"object": "realtime.session", "client_secret": {"value": "«$»", "expires_at": 1}}'),
    ("openai-admin", "https://platform.openai.com/docs/api-reference/admin-api-keys", "sk-admin-%u60", "200 OK", '{"object": "organization.admin_api_key", "value": "«$»"}'),
    ("tool-arguments", "https://platform.openai.com/docs/guides/function-calling", "%p14", "200 OK", '{"choices": [{"message": {"tool_calls": [{"function": {"name": "login", "arguments": "{\\"user\\": \\"a\\", \\"password\\": \\"«$»\\"}"}}]}}]}'),
    ("chat-content", "https://docs.anthropic.com/en/api/messages", "%p14", "POST /v1/messages", '{"messages": [{"role": "user", "content": "Log in with user alice and password: «$»"}]}'),
    ("slack-oauth", "https://api.slack.com/methods/oauth.v2.access", "xoxp-%d12-%d12-%d12-%x32", "200 OK", '{"ok": true, "authed_user": {"id": "U1", "access_token": "«$»"}}'),
    ("slack-response-url", "https://api.slack.com/interactivity/slash-commands", "%s24", "200 OK", '{"incoming_webhook": {"channel": "#x", "url": "https://hooks.slack.com/services/T00000000/B00000000/«$»"}}'),
    ("github-installation", "gitleaks:github-app-token", "ghs_%s36", "201 Created", '{"token": "«$»", "expires_at": "2030-01-01T00:00:00Z"}'),
    ("github-hook", "https://docs.github.com/rest/webhooks", "%p20", "POST /repos/a/b/hooks", '{"name": "web", "config": {"url": "https://x", "secret": "«$»"}}'),
    ("gitlab-variable", "https://docs.gitlab.com/ee/api/project_level_variables.html", "%p20", "POST /api/v4/projects/1/variables", '{"key": "DEPLOY_PASSWORD", "value": "«$»", "masked": true}'),
    ("gitlab-runner", "gitleaks:gitlab-runner-authentication-token", "glrt-%u20", "200 OK", '{"id": 12, "token": "«$»"}'),
    ("gitlab-runners-token", "gitleaks:gitlab-rrt", "GR1348941%u20", "200 OK", '{"name": "p", "runners_token": "«$»"}'),
    ("twilio-authtoken", "https://www.twilio.com/docs/iam/api/account", "%x32", "200 OK", '{"sid": "AC1", "auth_token": "«$»", "status": "active"}'),
    ("twilio-verify", "https://www.twilio.com/docs/verify/api/verification-check", "%d6", "POST /v2/Services/VA1/VerificationCheck", '{"To": "+1555", "Code": "«$»"}'),
    ("discord-hook-json", "https://discord.com/developers/docs/resources/webhook", "%u68", "200 OK", '{"type": 1, "id": "1", "token": "«$»"}'),
    ("auth0-token", "https://auth0.com/docs/api/authentication", "%u64", "POST /oauth/token", '{"grant_type": "client_credentials", "client_id": "c", "client_secret": "«$»"}'),
    ("oidc-refresh", "https://openid.net/specs/openid-connect-core-1_0.html", "v1.%u60", "200 OK", '{"token_type": "Bearer", "refresh_token": "«$»"}'),
    ("oidc-id-token", "gitleaks:jwt", "%u86", "200 OK", '{"id_token": "«{\"alg\":\"RS256\"}|b64url».«{\"sub\":\"3\"}|b64url».«$»"}'),
    ("okta-session", "https://developer.okta.com/docs/reference/api/authn/", "20111%u36", "200 OK", '{"status": "SUCCESS", "sessionToken": "«$»"}'),
    ("okta-state", "https://developer.okta.com/docs/reference/api/authn/", "00%u38", "200 OK", '{"status": "MFA_REQUIRED", "stateToken": "«$»"}'),
    ("okta-passcode", "https://developer.okta.com/docs/reference/api/authn/", "%d6", "POST /api/v1/authn/factors/1/verify", '{"stateToken": "0", "passCode": "«$»"}'),
    ("okta-answer", "https://developer.okta.com/docs/reference/api/users/", "%p14", "POST /api/v1/users", '{"credentials": {"recovery_question": {"question": "Pet?", "answer": "«$»"}}}'),
    ("okta-password-value", "https://developer.okta.com/docs/reference/api/users/", "%p14", "POST /api/v1/users?activate=1", '{"credentials": {"password": {"value": "«$»"}}}'),
    ("keycloak-credential", "https://www.keycloak.org/docs-api/latest/rest-api/", "%p14", "PUT /admin/realms/r/users/1/reset-password", '{"type": "password", "value": "«$»", "temporary": false}'),
    ("keycloak-client", "https://www.keycloak.org/docs-api/latest/rest-api/", "%s32", "200 OK", '{"type": "secret", "value": "«$»"}'),
    ("device-code", "https://datatracker.ietf.org/doc/html/rfc8628", "%u40", "200 OK", '{"device_code": "«$»", "verification_uri": "https://x", "interval": 5}'),
    ("user-code", "https://datatracker.ietf.org/doc/html/rfc8628", "%A4-%A4", "200 OK", '{"user_code": "«$»", "verification_uri": "https://x", "interval": 5}'),
    ("registration-token", "https://datatracker.ietf.org/doc/html/rfc7591", "%u40", "201 Created", '{"client_id": "c", "registration_access_token": "«$»"}'),
    ("scim-password", "https://datatracker.ietf.org/doc/html/rfc7643", "%p14", "POST /scim/v2/Users", '{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "password": "«$»"}'),
    ("scim-patch", "https://datatracker.ietf.org/doc/html/rfc7644", "%p14", "PATCH /scim/v2/Users/1", '{"Operations": [{"op": "replace", "path": "password", "value": "«$»"}]}'),
    ("json-patch", "https://datatracker.ietf.org/doc/html/rfc6902", "%p14", "PATCH /users/2", '[{"op": "replace", "path": "/password", "value": "«$»"}]'),
    ("k8s-secret", "https://kubernetes.io/docs/concepts/configuration/secret/", "%p18", "200 OK", '{"kind": "Secret", "apiVersion": "v1", "data": {"db.conf": "«$|b64»"}}'),
    ("k8s-stringdata", "https://kubernetes.io/docs/concepts/configuration/secret/", "%p18", "POST /api/v1/namespaces/d/secrets", '{"kind": "Secret", "stringData": {"config": "«$»"}}'),
    ("k8s-token-request", "https://kubernetes.io/docs/reference/kubernetes-api/", "%u120", "201 Created", '{"kind": "TokenRequest", "status": {"token": "«$»"}}'),
    ("k8s-env", "https://kubernetes.io/docs/reference/kubernetes-api/", "%p18", "200 OK", '{"kind": "Pod", "spec": {"containers": [{"env": [{"name": "POSTGRES_PASSWORD", "value": "«$»"}]}]}}'),
    ("vault-kv2", "https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2", "%p18", "200 OK", '{"request_id": "1", "data": {"data": {"password": "«$»"}, "metadata": {"version": 1}}}'),
    ("vault-login", "https://developer.hashicorp.com/vault/api-docs/auth/approle", "%x8-%x4-4%x3-8%x3-%x12", "POST /v1/auth/approle/login", '{"role_id": "r", "secret_id": "«$»"}'),
    ("vault-client-token", "gitleaks:vault-service-token", "s.%s24", "200 OK", '{"auth": {"client_token": "«$»", "lease_duration": 60}}'),
    ("vault-unseal", "https://developer.hashicorp.com/vault/api-docs/system/init", "%x66", "200 OK", '{"keys": ["«$»"], "keys_base64": []}'),
    ("vault-root", "https://developer.hashicorp.com/vault/api-docs/system/init", "hvs.%u24", "200 OK", '{"root_token": "«$»"}'),
    ("consul-kv", "https://developer.hashicorp.com/consul/api-docs/kv", "%p18", "200 OK", '[{"Key": "app/db/password", "Value": "«$|b64»", "Flags": 0}]'),
    ("consul-acl", "https://developer.hashicorp.com/consul/api-docs/acl/tokens", "%x8-%x4-4%x3-b%x3-%x12", "200 OK", '{"AccessorID": "0", "SecretID": "«$»", "Local": false}'),
    ("snowflake-login", "https://docs.snowflake.com/", "%p16", "POST /session/v1/login-request", '{"data": {"LOGIN_NAME": "u", "PASSWORD": "«$»"}}'),
    ("databricks-secret", "https://docs.databricks.com/api/workspace/secrets/putsecret", "%p18", "POST /api/2.0/secrets/put", '{"scope": "s", "key": "db-password", "string_value": "«$»"}'),
    ("heroku-config", "https://devcenter.heroku.com/articles/platform-api-reference", "%p12", "200 OK", '{"DATABASE_URL": "postgres://app:«$»@ec2.example.com:5432/db"}'),
    ("mongo-url", "trufflehog:mongodb", "%p12", "200 OK", '{"uri": "mongodb+srv://app:«$|url»@cluster0.example.net/test"}'),
    ("redis-url", "trufflehog:redis", "%p16", "200 OK", '{"url": "redis://:«$»@cache.example.com:6379/0"}'),
    ("amqp-url", "https://www.rabbitmq.com/docs/uri-spec", "%p16", "200 OK", '{"broker": "amqps://app:«$»@mq.example.com/vhost"}'),
    ("jdbc-url", "trufflehog:jdbc", "%p16", "200 OK", '{"url": "jdbc:mysql://db/x?user=root&password=«$»&useSSL=true"}'),
    ("odbc", "https://learn.microsoft.com/dotnet/api/system.data.sqlclient", "%p16", "200 OK", '{"ConnectionStrings": {"Default": "Server=db;Database=x;User Id=sa;Password=«$»;Encrypt=True"}}'),
    ("odbc-pwd", "https://www.connectionstrings.com/", "%p16", "200 OK", '{"dsn": "Driver={SQL Server};Uid=sa;Pwd=«$»;"}'),
    ("libpq", "https://www.postgresql.org/docs/current/libpq-connect.html", "%p16", "200 OK", '{"dsn": "host=db user=app password=«$» dbname=x"}'),
    ("go-dsn", "https://github.com/go-sql-driver/mysql", "%p16", "200 OK", '{"dsn": "app:«$»@tcp(db:3306)/x?parseTime=true"}'),
    ("sql-create-user", "https://www.postgresql.org/docs/current/sql-createuser.html", "%p16", "POST /query", '{"statement": "CREATE USER app WITH PASSWORD \'«$»\' VALID UNTIL \'2030-01-01\'"}'),
    ("sql-identified", "https://dev.mysql.com/doc/refman/8.0/en/create-user.html", "%p16", "POST /query2", '{"sql": "CREATE USER \'app\'@\'%\' IDENTIFIED BY \'«$»\'"}'),
    ("sql-alter-login", "https://learn.microsoft.com/sql/t-sql/statements/alter-login-transact-sql", "%p16", "POST /query3", '{"sql": "ALTER LOGIN sa WITH PASSWORD = N\'«$»\'"}'),
    ("sql-update", "https://owasp.org/", "%p16", "POST /query4", '{"sql": "UPDATE users SET password = \'«$»\' WHERE id = 1"}'),
    ("sql-insert", "https://owasp.org/", "%p16", "POST /query5", '{"sql": "INSERT INTO users (name, password) VALUES (\'bob\', \'«$»\')"}'),
    ("influx-user", "https://docs.influxdata.com/influxdb/v1/administration/", "%p16", "POST /query6", '{"q": "CREATE USER admin WITH PASSWORD \'«$»\' WITH ALL PRIVILEGES"}'),
    ("jwk-rsa", "https://datatracker.ietf.org/doc/html/rfc7517", "%u342", "200 OK", '{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB", "d": "«$»"}]}'),
    ("jwk-ec", "https://datatracker.ietf.org/doc/html/rfc7517", "%u43", "200 OK", '{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "d": "«$»"}'),
    ("jwk-oct", "https://datatracker.ietf.org/doc/html/rfc7517", "%u43", "200 OK", '{"kty": "oct", "alg": "HS256", "k": "«$»"}'),
    ("jwk-prime", "https://datatracker.ietf.org/doc/html/rfc7517", "%u171", "200 OK", '{"kty": "RSA", "n": "AQAB", "e": "AQAB", "p": "«$»"}'),
    ("ssh-openssh", "gitleaks:private-key", "%b128", "200 OK", '{"privateKey": "-----BEGIN OPENSSH PRIVATE KEY-----\\n«$»\\n-----END OPENSSH PRIVATE KEY-----"}'),
    ("docker-auths", "https://docs.docker.com/reference/cli/docker/login/", "%p16", "200 OK", '{"auths": {"https://index.docker.io/v1/": {"auth": "«bob:$|b64»"}}}'),
    ("docker-login", "https://docs.docker.com/docker-hub/api/latest/", "dckr_pat_%u27", "POST /v2/users/login", '{"username": "bob", "password": "«$»"}'),
    ("docker-identity", "https://docs.docker.com/reference/api/engine/", "%s60", "200 OK", '{"Status": "Login Succeeded", "IdentityToken": "«$»"}'),
    ("docker-swarm", "https://docs.docker.com/reference/api/engine/", "SWMTKN-1-%w50-%w25", "200 OK", '{"JoinTokens": {"Worker": "«$»"}}'),
    ("docker-env", "https://docs.docker.com/reference/api/engine/", "%p16", "200 OK", '{"Config": {"Env": ["PATH=/bin", "MYSQL_ROOT_PASSWORD=«$»"]}}'),
    ("docker-cmd", "https://docs.docker.com/reference/api/engine/", "%p16", "200 OK", '{"Config": {"Cmd": ["redis-server", "--requirepass", "«$»"]}}'),
    ("graphql-variable", "https://graphql.org/learn/queries/#variables", "%p16", "POST /graphql", '{"query": "mutation($p: String!) { login(password: $p) { id } }", "variables": {"input": {"password": "«$»"}}}'),
    ("graphql-inline", "https://graphql.org/learn/queries/", "%p16", "POST /graphql", '{"query": "mutation { login(user: \\"a\\", password: \\"«$»\\") { id } }"}'),
    ("jsonrpc-position", "https://www.odoo.com/documentation/17.0/developer/reference/external_api.html", "%p16", "POST /jsonrpc", '{"jsonrpc": "2.0", "method": "call", "params": {"service": "common", "method": "login", "args": ["db", "admin", "«$»"]}}'),
    ("bitcoin-passphrase", "https://developer.bitcoin.org/reference/rpc/walletpassphrase.html", "%p16", "POST /", '{"method": "walletpassphrase", "params": ["«$»", 60]}'),
    ("bip39", "https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki", "%seed12", "200 OK", '{"mnemonic": "«$»"}'),
    ("bip39-prose", "https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki", "%seed24", "200 OK", '{"message": "Your recovery phrase: «$»"}'),
    ("eth-key", "https://ethereum.org/developers/docs/accounts/", "0x%x64", "200 OK", '{"address": "0x00", "privateKey": "«$»"}'),
    ("xprv", "https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki", "xprv9%s107", "200 OK", '{"hdkey": "«$»"}'),
    ("backup-codes", "https://docs.github.com/authentication/securing-your-account-with-two-factor-authentication-2fa", "%d8", "200 OK", '{"backup_codes": ["«$»"]}'),
    ("recovery-codes", "https://django-allauth.readthedocs.io/", "%x5-%x5", "200 OK", '{"data": {"type": "recovery_codes", "unused_codes": ["«$»"]}}'),
    ("totp-secret", "https://github.com/google/google-authenticator/wiki/Key-Uri-Format", "%A32", "200 OK", '{"otpauth_url": "otpauth://totp/A:b@example.com?secret=«$»&issuer=A"}'),
    ("otp-number", "https://owasp.org/", "9%d5", "POST /login/otp", '{"otp": «$»}'),
    ("pin-number", "https://owasp.org/", "7%d4", "POST /login/pin", '{"card": 1, "pin": «$»}'),
    ("cvc", "https://docs.stripe.com/api/tokens/create_card", "8%d3", "POST /v1/tokens", '{"card": {"exp_year": 2030, "cvc": "«$»"}}'),
    ("sms-text", "https://www.twilio.com/docs/verify", "6%d5", "200 OK", '{"body": "Your verification code is «$». Do not share it."}'),
    ("graphql-token", "https://shopify.dev/docs/api/storefront", "%x32", "200 OK", '{"data": {"customerAccessTokenCreate": {"customerAccessToken": {"accessToken": "«$»"}}}}'),
    ("har-header", "http://www.softwareishard.com/blog/har-12-spec/", "%u40", "200 OK", '{"headers": [{"name": "Authorization", "value": "Bearer «$»"}]}'),
    ("httpbin-echo", "https://httpbin.org/", "%u40", "200 OK", '{"headers": {"Authorization": "Bearer «$»", "Accept": "*/*"}}'),
    ("postman-auth", "https://schema.postman.com/", "%u40", "200 OK", '{"auth": {"type": "bearer", "bearer": [{"key": "token", "value": "«$»", "type": "string"}]}}'),
    ("terraform-state", "https://developer.hashicorp.com/terraform/language/state", "%p18", "200 OK", '{"outputs": {"db_password": {"value": "«$»", "type": "string", "sensitive": true}}}'),
    ("npm-create", "https://github.com/npm/registry", "%x8-%x4-4%x3-8%x3-%x12", "201 Created", '{"token": "«$»", "readonly": false}'),
    ("json-in-json", "https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html", "%p16", "POST /sns", '{"Type": "Notification", "Message": "{\\"detail\\":{\\"password\\":\\"«$»\\"}}"}'),
    ("base64-json", "https://cloud.google.com/pubsub/docs/push", "%p16", "POST /pubsub", '{"message": {"data": "«{\"password\": \"$\"}|b64»", "messageId": "1"}}'),
    ("wifi", "https://github.com/zxing/zxing/wiki/Barcode-Contents", "%p14", "200 OK", '{"qr": "WIFI:T:WPA;S:home;P:«$»;;"}'),
    ("pair-array", "https://docs.docker.com/reference/api/engine/", "%p16", "200 OK", '{"settings": [["user", "app"], ["password", "«$»"]]}'),
    ("password-hash", "trufflehog:generic", "$2b$12$%s53", "200 OK", '{"name": "a", "encrypted_password": "«$»"}'),
    ("shadow", "https://man7.org/linux/man-pages/man5/shadow.5.html", "$6$%s16$%s86", "200 OK", '{"line": "root:«$»:19000:0:99999:7:::"}'),
    ("error-echo", "https://dev.mysql.com/doc/mysql-errors/8.0/en/", "%p16", "400 Bad Request", '{"error": "could not connect to postgres://app:«$»@db/x: timeout"}'),
    ("validation-echo", "https://docs.pydantic.dev/latest/errors/errors/", "%p16", "422 Unprocessable Entity", '{"detail": [{"loc": ["body", "password"], "msg": "too short", "input": "«$»"}]}'),
]:
    put(_name, _source, _shape, J(_start, _body))

# The word for password in other languages, as JSON member or as a field of a form.
for _number, _word in enumerate([
    "contraseña", "clave_secreta", "senha", "mot_de_passe", "motDePasse", "Passwort", "kennwort", "wachtwoord", "пароль",
    "密码", "パスワード", "비밀번호", "şifre", "parola", "hasło", "lösenord", "salasana", "heslo", "adgangskode", "jelszó",
]):
    _place = J("200 OK", '{"user": "a", "%s": "«$»"}' % _word) if _number % 2 else F(f"POST /login/{_number}", quote(_word) + "=«$|url»&x=1")
    put(f"word-{_word}", "https://en.wiktionary.org/wiki/password#Translations", "%p14", _place)

_PEM = "-----BEGIN {0}-----\n«$»\n-----END {0}-----\n"
_SOAP = ('<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Header>%s</soap:Header>'
         "<soap:Body><Ping/></soap:Body></soap:Envelope>")

# Texts, markup, forms, parts and odd places: name, source, shape, message.
for _name, _source, _shape, _message in [
    ("oauth-form-secret", "https://datatracker.ietf.org/doc/html/rfc6749#section-2.3.1", "%u40", F("POST /token", "grant_type=client_credentials&client_id=c&client_secret=«$»")),
    ("oauth-form-password", "https://datatracker.ietf.org/doc/html/rfc6749#section-4.3", "%p14", F("POST /token", "grant_type=password&username=a&password=«$|url»")),
    ("oauth-form-refresh", "https://datatracker.ietf.org/doc/html/rfc6749#section-6", "1//%u90", F("POST /token", "grant_type=refresh_token&refresh_token=«$|url»")),
    ("oauth-form-verifier", "https://datatracker.ietf.org/doc/html/rfc7636", "%u43", F("POST /token", "grant_type=authorization_code&code_verifier=«$»")),
    ("oauth-form-assertion", "https://datatracker.ietf.org/doc/html/rfc7523", "%u86", F("POST /token", "client_assertion=«{\"alg\":\"RS256\"}|b64url».«{\"iss\":\"c\"}|b64url».«$»")),
    ("oauth-introspect", "https://datatracker.ietf.org/doc/html/rfc7662", "%u40", F("POST /introspect", "token=«$»&token_type_hint=access_token")),
    ("oauth-subject", "https://datatracker.ietf.org/doc/html/rfc8693", "%u50", F("POST /token", "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=«$»")),
    ("rails-form", "https://guides.rubyonrails.org/form_helpers.html", "%p14", F("POST /users", "user%5Bname%5D=a&user%5Bpassword_confirmation%5D=«$|url»")),
    ("rails-authenticity", "secrets-patterns-db:authenticity_token", "%b86==", F("POST /posts", "authenticity_token=«$|url»&post=1")),
    ("wordpress-login", "https://developer.wordpress.org/reference/functions/wp_login_form/", "%p14", F("POST /wp-login.php", "log=admin&pwd=«$|url»&wp-submit=Log+In")),
    ("json-in-form", "https://api.slack.com/legacy/message-buttons", "%u24", F("POST /interact", "payload=«{\"type\":\"x\",\"token\":\"$\"}|url»")),
    ("twilio-form-code", "https://www.twilio.com/docs/verify/api/verification-check", "5%d5", F("POST /v2/Services/V/VerificationCheck", "To=%2B1555&Code=«$»")),
    ("oauth1-response", "https://datatracker.ietf.org/doc/html/rfc5849", "%u42", F("200 OK", "oauth_token=abc&oauth_token_secret=«$»&oauth_callback_confirmed=true")),
    ("saml-post", "https://docs.oasis-open.org/security/saml/v2.0/", "%b400", F("POST /acs", "SAMLResponse=«$|url»&RelayState=x")),
    ("saml-html", "https://docs.oasis-open.org/security/saml/v2.0/", "%b400", H("200 OK", '<form method="post"><input type="hidden" name="SAMLResponse" value="«$»"/></form>')),
    ("html-csrf", "https://docs.djangoproject.com/en/stable/howto/csrf/", "%s64", H("200 OK", '<input type="hidden" name="csrfmiddlewaretoken" value="«$»">')),
    ("html-csrf-meta", "https://guides.rubyonrails.org/security.html", "%b86==", H("200 OK", '<meta name="csrf-token" content="«$»" />')),
    ("html-password", "https://html.spec.whatwg.org/", "%p14", H("200 OK", '<input value="«$»" type="password" name="f1">')),
    ("html-script", "trufflehog:generic", "%u40", H("200 OK", '<script>window.config = {apiKey: "«$»", debug: false};</script>')),
    ("html-textarea", "gitleaks:private-key", "%b128", H("200 OK", "<textarea>" + _PEM.format("RSA PRIVATE KEY") + "</textarea>")),
    ("wsse-password", "https://docs.oasis-open.org/wss/v1.1/", "%p14", X("POST /soap", _SOAP % '<wsse:Security><wsse:UsernameToken><wsse:Username>u</wsse:Username><wsse:Password Type="x#PasswordText">«$»</wsse:Password></wsse:UsernameToken></wsse:Security>')),
    ("wsse-binary", "https://docs.oasis-open.org/wss/v1.1/", "%b160", X("POST /soap", _SOAP % '<wsse:Security><wsse:BinarySecurityToken ValueType="x#X509">«$»</wsse:BinarySecurityToken></wsse:Security>')),
    ("salesforce-soap", "https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/", "00D%s12!%s96", X("200 OK", "<result><sessionId>«$»</sessionId><userId>1</userId></result>")),
    ("saml-signature", "https://docs.oasis-open.org/security/saml/v2.0/", "%b172", X("200 OK", '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignatureValue>«$»</ds:SignatureValue></ds:Signature>')),
    ("sts-xml", "https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html", "%b40", X("200 OK", "<AssumeRoleResult><Credentials><SecretAccessKey>«$»</SecretAccessKey></Credentials></AssumeRoleResult>")),
    ("sts-xml-session", "https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html", "FwoGZXIvYXdz%b180", X("200 OK", "<Credentials><SessionToken>\n«$»\n</SessionToken></Credentials>")),
    ("maven-settings", "https://maven.apache.org/settings.html", "%p14", X("200 OK", "<settings><servers><server><id>x</id><password>«$|xml»</password></server></servers></settings>")),
    ("xml-attribute", "https://tomcat.apache.org/tomcat-9.0-doc/realm-howto.html", "%p14", X("200 OK", '<tomcat-users><user username="a" password="«$»" roles="r"/></tomcat-users>')),
    ("xml-cdata", "https://www.w3.org/TR/xml/", "%p14", X("200 OK", "<login><password><![CDATA[«$»]]></password></login>")),
    ("xml-keyvalue", "https://learn.microsoft.com/dotnet/framework/configure-apps/", "%p20", X("200 OK", '<appSettings><add key="SmtpPassword" value="«$»"/></appSettings>')),
    ("dotnet-machinekey", "https://learn.microsoft.com/previous-versions/dotnet/netframework-4.0/w8h3skw9", "%X64", X("200 OK", '<machineKey validationKey="«$»" validation="SHA1"/>')),
    ("xmlrpc", "https://codex.wordpress.org/XML-RPC_WordPress_API", "%p14", X("POST /xmlrpc.php", "<methodCall><methodName>wp.getUsersBlogs</methodName><params><param><value><string>admin</string></value></param><param><value><string>«$»</string></value></param></params></methodCall>")),
    ("xmlrpc-struct", "http://xmlrpc.com/spec.md", "%p14", X("200 OK", "<struct><member><name>password</name><value><string>«$»</string></value></member></struct>")),
    ("plist", "https://developer.apple.com/library/archive/documentation/General/Reference/InfoPlistKeyReference/", "%p14", X("200 OK", '<plist version="1.0"><dict><key>password</key><string>«$»</string></dict></plist>')),
    ("jenkins-credentials", "https://plugins.jenkins.io/credentials/", "{AQAAABAAAAA%b40=}", X("200 OK", "<credential><username>a</username><secret>«$»</secret></credential>")),
    ("azure-publish", "https://learn.microsoft.com/azure/app-service/", "%s60", X("200 OK", '<publishProfile userName="$a" userPWD="«$»" />')),
    ("user-pwd-entity", "https://www.w3.org/TR/xml/", "a&b<%p14", X("200 OK", "<user><password>«$|xml»</password></user>")),
    ("pem-text", "gitleaks:private-key", "%b128", T("200 OK", _PEM.format("RSA PRIVATE KEY"))),
    ("pem-ec", "gitleaks:private-key", "%b128", "200 OK\nContent-Type: application/x-pem-file\n\n" + _PEM.format("EC PRIVATE KEY")),
    ("pgp", "gitleaks:private-key", "%b128", "200 OK\nContent-Type: application/pgp-keys\n\n" + _PEM.format("PGP PRIVATE KEY BLOCK")),
    ("age-key", "gitleaks:age-secret-key", "AGE-SECRET-KEY-1QQ%A56", T("200 OK", "# created: 2024\n«$»\n")),
    ("ppk", "https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html", "%b64", T("200 OK", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n«$»\nPrivate-MAC: 00\n")),
    ("wireguard", "https://www.wireguard.com/", "%b43=", T("200 OK", "[Interface]\nPrivateKey = «$»\nAddress = 10.0.0.1/24\n")),
    ("npmrc", "gitleaks:npm-access-token", "%x8-%x4-4%x3-8%x3-%x12", T("200 OK", "//registry.npmjs.org/:_authToken=«$»\n")),
    ("npmrc-auth", "https://docs.npmjs.com/cli/configuring-npm/npmrc", "%p14", T("200 OK", "_auth = «bob:$|b64»\nemail=a@example.com\n")),
    ("netrc", "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html", "%p14", T("200 OK", "machine api.example.com login bob password «$»\n")),
    ("pgpass", "https://www.postgresql.org/docs/current/libpq-pgpass.html", "%p14", T("200 OK", "# hostname:port:database:username:password\ndb.example.com:5432:app:bob:«$»\n")),
    ("dotenv", "detect-secrets:KeywordDetector", "%p14", T("200 OK", "APP_ENV=prod\nDB_PASSWORD=«$»\nAPP_URL=http://x\n")),
    ("dotenv-quoted", "detect-secrets:KeywordDetector", "%p14 %p12", T("200 OK", 'export SMTP_PASS="«$»"\n')),
    ("laravel-key", "https://laravel.com/docs/encryption", "base64:%b43=", T("200 OK", "APP_NAME=x\nAPP_KEY=«$»\n")),
    ("aws-credentials", "detect-secrets:AWSKeyDetector", "%b40", T("200 OK", "[default]\naws_secret_access_key = «$»\n")),
    ("spring", "https://docs.spring.io/spring-boot/appendix/application-properties/", "%p14", T("200 OK", "spring.datasource.username=sa\nspring.datasource.password=«$»\n")),
    ("java-store", "https://docs.oracle.com/javase/8/docs/technotes/guides/security/jsse/JSSERefGuide.html", "%p14", T("200 OK", "java -Djavax.net.ssl.keyStorePassword=«$» -jar app.jar\n")),
    ("wp-config", "https://developer.wordpress.org/advanced-administration/wordpress/wp-config/", "%p14", T("200 OK", "<?php\ndefine( 'DB_PASSWORD', '«$»' );\n")),
    ("wp-salt", "https://api.wordpress.org/secret-key/1.1/salt/", "%s64", T("200 OK", "define('AUTH_KEY',         '«$»');\n")),
    ("php-array", "https://www.php.net/manual/en/language.types.array.php", "%p14", T("200 OK", "<?php return ['user' => 'a', 'password' => '«$»'];\n")),
    ("ruby-hash", "https://guides.rubyonrails.org/configuring.html", "%x128", T("200 OK", "config.secret_key_base = '«$»'\n")),
    ("django-key", "gitleaks:generic-api-key", "%s50", T("200 OK", "DEBUG = False\nSECRET_KEY = '«$»'\n")),
    ("python-repr", "detect-secrets:KeywordDetector", "%p14", T("200 OK", "Config({'host': 'db', 'password': '«$»'})\n")),
    ("yaml-plain", "detect-secrets:KeywordDetector", "%p14", Y("200 OK", "db:\n  user: a\n  password: «$»\n")),
    ("yaml-block", "https://yaml.org/spec/1.2.2/", "%p18", Y("200 OK", "db:\n  password: |\n    «$»\n  port: 1\n")),
    ("yaml-folded", "https://yaml.org/spec/1.2.2/", "%u60", Y("200 OK", "token: >-\n  «$»\nname: x\n")),
    ("yaml-pem", "gitleaks:private-key", "%b64", Y("200 OK", "key: |\n  -----BEGIN PRIVATE KEY-----\n  «$»\n  -----END PRIVATE KEY-----\n")),
    ("yaml-k8s", "https://kubernetes.io/docs/concepts/configuration/secret/", "%p18", Y("200 OK", "kind: Secret\nmetadata:\n  name: x\ndata:\n  app.conf: «$|b64»\n")),
    ("kubeconfig", "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/", "%s200", Y("200 OK", "kind: Config\nusers:\n- name: a\n  user:\n    client-key-data: «$|b64»\n")),
    ("ansible", "https://docs.ansible.com/ansible/latest/inventory_guide/intro_inventory.html", "%p14", T("200 OK", "[web]\nhost1 ansible_user=a ansible_ssh_pass=«$»\n")),
    ("toml", "https://doc.rust-lang.org/cargo/reference/registry-authentication.html", "cio%s32", "200 OK\nContent-Type: application/toml\n\n[registry]\ntoken = \"«$»\"\n"),
    ("csv-column", "https://datatracker.ietf.org/doc/html/rfc4180", "%p14", "200 OK\nContent-Type: text/csv\n\nid,name,password\n1,bob,«$»\n"),
    ("csv-quoted", "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html", "%b40", "200 OK\nContent-Type: text/csv\n\nUser name,Access key ID,Secret access key\nbob,x,\"«$»\"\n"),
    ("ndjson", "https://github.com/ndjson/ndjson-spec", "%p14", "200 OK\nContent-Type: application/x-ndjson\n\n{\"a\": 1}\n{\"password\": \"«$»\"}\n"),
    ("sse-json", "https://html.spec.whatwg.org/multipage/server-sent-events.html", "%u40", "200 OK\nContent-Type: text/event-stream\n\nevent: login\ndata: {\"access_token\": \"«$»\"}\n\n"),
    ("curl-u", "gitleaks:curl-auth-user", "%p14", T("200 OK", "Try: curl -u bob:«$» https://api.example.com/\n")),
    ("curl-header", "gitleaks:curl-auth-header", "%u32", T("200 OK", 'curl -H "X-Api-Key: «$»" https://api.example.com/\n')),
    ("mysql-p", "https://dev.mysql.com/doc/refman/8.0/en/command-line-options.html", "%p14", T("200 OK", "$ mysql -uroot -p«$» app < dump.sql\n")),
    ("mysqldump-long", "https://dev.mysql.com/doc/refman/8.0/en/mysqldump.html", "%p14", T("200 OK", "mysqldump --user=root --password=«$» app\n")),
    ("redis-cli", "https://redis.io/docs/latest/develop/tools/cli/", "%p14", T("200 OK", "redis-cli -h cache -a «$» PING\n")),
    ("redis-auth", "https://redis.io/docs/latest/commands/auth/", "%p14", T("POST /console", "AUTH default «$»\nPING\n")),
    ("sshpass", "https://linux.die.net/man/1/sshpass", "%p14", T("200 OK", "sshpass -p «$» ssh root@host\n")),
    ("pgpassword", "https://www.postgresql.org/docs/current/libpq-envars.html", "%p14", T("200 OK", "PGPASSWORD=«$» psql -U app\n")),
    ("docker-p", "https://docs.docker.com/reference/cli/docker/login/", "%p14", T("200 OK", "docker login -u bob -p «$» registry.example.com\n")),
    ("powershell", "https://learn.microsoft.com/powershell/module/microsoft.powershell.security/convertto-securestring", "%p14", T("200 OK", 'ConvertTo-SecureString "«$»" -AsPlainText -Force\n')),
    ("openssl-pass", "https://docs.openssl.org/master/man1/openssl-passphrase-options/", "%p14", T("200 OK", "openssl rsa -in key.pem -passin pass:«$»\n")),
    ("sql-dump", "https://dev.mysql.com/doc/refman/8.0/en/grant.html", "%p14", "200 OK\nContent-Type: application/sql\n\nGRANT ALL ON *.* TO 'app'@'%' IDENTIFIED BY '«$»';\n"),
    ("git-remote", "detect-secrets:BasicAuthDetector", "%p14", T("200 OK", "origin  https://bob:«$»@git.example.com/a/b.git (fetch)\n")),
    ("mail-prose", "https://owasp.org/", "%p14", T("200 OK", "Hello Bob,\n\nyour new password is: «$»\n\nRegards\n")),
    ("prose-german", "https://owasp.org/", "%p14", T("200 OK", "Ihr Passwort lautet: «$»\n")),
    ("prose-pin", "https://owasp.org/", "4%d5", T("200 OK", "Your one-time code is «$» and expires in 10 minutes.\n")),
    ("log-line", "https://brandur.org/logfmt", "%u32", T("200 OK", 'level=info msg=login api_key=«$» user=a\n')),
    ("log-header", "https://curl.se/docs/manpage.html", "%u32", T("200 OK", "> GET / HTTP/1.1\n> Authorization: Bearer «$»\n> Accept: */*\n")),
    ("log-cookie", "https://curl.se/docs/http-cookies.html", "%x32", T("200 OK", "# Netscape HTTP Cookie File\nexample.com\tFALSE\t/\tTRUE\t0\tsessionid\t«$»\n")),
    ("javascript", "gitleaks:generic-api-key", "%u40", "200 OK\nContent-Type: application/javascript\n\nconst apiSecret = '«$»';\n"),
    ("jsonp", "https://www.w3.org/", "%u40", "200 OK\nContent-Type: application/javascript\n\ncallback({\"access_token\": \"«$»\"});\n"),
    ("terraform-hcl", "https://developer.hashicorp.com/terraform", "%p14", T("200 OK", 'resource "x" "y" {\n  master_password = "«$»"\n}\n')),
    ("dockerfile-arg", "https://docs.docker.com/reference/dockerfile/", "%p14", T("200 OK", "FROM x\nENV MYSQL_PASSWORD «$»\n")),
    ("multipart-password", "https://datatracker.ietf.org/doc/html/rfc7578", "%p14", multipart("POST /upload1", part('name="user"', "a"), part('name="password"', "«$»"))),
    ("multipart-json", "https://datatracker.ietf.org/doc/html/rfc7578", "%u40", multipart("POST /upload2", part('name="meta"\r\nContent-Type: application/json', '{"apiKey": "«$»"}'))),
    ("multipart-file", "gitleaks:private-key", "%b128", multipart("POST /upload3", part('name="file"; filename="id_rsa"', _PEM.format("RSA PRIVATE KEY")))),
    ("multipart-env", "detect-secrets:KeywordDetector", "%p14", multipart("POST /upload4", part('name="file"; filename=".env"', "DB_PASSWORD=«$»\n"))),
    ("multipart-filename", "gitleaks:github-pat", "ghp_%s36", multipart("POST /upload5", part('name="file"; filename="«$».txt"', "hello"))),
    ("multipart-policy", "https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html", "%x64", multipart("POST /bucket", part('name="x-amz-signature"', "«$»"), part('name="file"; filename="a"', "x"))),
    ("location-fragment", "https://datatracker.ietf.org/doc/html/rfc6749#section-4.2.2", "%u40", "302 Found\nLocation: https://app.example.com/cb#access_token=«$»&token_type=bearer"),
    ("location-code", "https://datatracker.ietf.org/doc/html/rfc6749#section-4.1.2", "%u40", "302 Found\nLocation: https://app.example.com/cb?code=«$»&state=s"),
    ("location-userinfo", "detect-secrets:BasicAuthDetector", "%p12", "302 Found\nLocation: https://bob:«$|url»@files.example.com/x"),
    ("location-ticket", "https://apereo.github.io/cas/", "ST-%d4-%u24", "302 Found\nLocation: https://app.example.com/?ticket=«$»"),
    ("link-token", "https://datatracker.ietf.org/doc/html/rfc8288", "%u40", '200 OK\nLink: <https://api.example.com/x?access_token=«$»&page=2>; rel="next"'),
    ("refresh-token", "https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh", "%u40", "200 OK\nRefresh: 0; url=https://app.example.com/?token=«$»"),
    ("set-cookie", "https://datatracker.ietf.org/doc/html/rfc6265", "%s32", "200 OK\nSet-Cookie: sid=«$»; Path=/; HttpOnly"),
    ("set-cookie-signed", "https://github.com/expressjs/session", "s%3A%u32.%s43", "200 OK\nSet-Cookie: connect.sid=«$»; Path=/"),
    ("set-cookie-remember", "https://laravel.com/docs/authentication", "%u60", "200 OK\nSet-Cookie: remember_web_1=«$»; Max-Age=99999"),
    ("authentication-info", "https://datatracker.ietf.org/doc/html/rfc7615", "%x32", '200 OK\nAuthentication-Info: qop=auth, rspauth="«$»", cnonce="c", nc=00000001'),
    ("www-nonce", "https://datatracker.ietf.org/doc/html/rfc4559", "oYG%b120", "401 Unauthorized\nWWW-Authenticate: Negotiate «$»"),
    ("response-bearer", "https://github.com/tymondesigns/jwt-auth", "%u86", "200 OK\nAuthorization: Bearer «{\"alg\":\"HS256\"}|b64url».«{\"sub\":\"9\"}|b64url».«$»"),
    ("response-token", "https://docs.openstack.org/api-ref/identity/v3/", "gAAAAAB%u160", "201 Created\nX-Subject-Token: «$»"),
    ("response-vault", "https://www.consul.io/", "%u40", "200 OK\nX-Refreshed-Token: «$»"),
    ("reason-phrase", "detect-secrets:KeywordDetector", "%p14", "403 Bad password=«$»"),
    ("reason-token", "gitleaks:github-pat", "ghp_%s36", "401 Token «$» expired"),
    ("trailer-token", "https://datatracker.ietf.org/doc/html/rfc9110#section-6.5", "%u40", "200 OK\nContent-Type: text/plain\nTransfer-Encoding: chunked\nTrailer: X-Auth-Token\n\nhello\n~~\nX-Auth-Token: «$»"),
    ("request-trailer", "https://datatracker.ietf.org/doc/html/rfc9110#section-6.5", "%x64", "PUT /trailed\nContent-Type: text/plain\nTransfer-Encoding: chunked\nTrailer: X-Api-Key\n\nhello\n~~\nX-Api-Key: «$»"),
    ("chunked-json", "https://datatracker.ietf.org/doc/html/rfc9112#section-7.1", "%u60", J("200 OK", '{"a": 1, "access_token": "«$»"}', "Transfer-Encoding: chunked")),
    ("gzip-json", "https://datatracker.ietf.org/doc/html/rfc9110#section-8.4", "%u40", J("200 OK", '{"access_token": "«$»"}', "Content-Encoding: gzip")),
    ("gzip-request", "https://docs.datadoghq.com/api/", "%p14", J("POST /intake", '{"password": "«$»"}', "Content-Encoding: gzip")),
    ("deflate-json", "https://datatracker.ietf.org/doc/html/rfc9110#section-8.4", "%u40", J("200 OK", '{"refresh_token": "«$»"}', "Content-Encoding: deflate")),
    ("gzip-text", "detect-secrets:KeywordDetector", "%p14", T("200 OK", "DB_PASSWORD=«$»\n", "Content-Encoding: gzip")),
    ("gzip-chunked", "https://datatracker.ietf.org/doc/html/rfc9112", "%p14", J("200 OK", '{"password": "«$»"}', "Content-Encoding: gzip", "Transfer-Encoding: chunked")),
    ("encoding-utf8", "https://github.com/psf/requests/issues", "%p14", J("200 OK", '{"password": "«$»"}', "Content-Encoding: utf-8")),
    ("encoding-none", "https://github.com/psf/requests/issues", "%p14", J("200 OK", '{"password": "«$»"}', "Content-Encoding: none")),
    ("encoding-binary", "https://github.com/psf/requests/issues", "%p14", J("200 OK", '{"password": "«$»"}', "Content-Encoding: binary")),
    ("encoding-aws-chunked", "https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html", "%x64", "PUT /bucket/chunks\nContent-Encoding: aws-chunked\nX-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\n\n5;chunk-signature=«$»\r\nhello\r\n0;chunk-signature=00\r\n\r\n"),
    ("no-type-json", "https://datatracker.ietf.org/doc/html/rfc9110#section-8.3", "%p14", '200 OK\n\n{"password": "«$»"}'),
    ("octet-json", "https://datatracker.ietf.org/doc/html/rfc9110#section-8.3", "%p14", '200 OK\nContent-Type: application/octet-stream\n\n{"password": "«$»"}'),
    ("octet-env", "detect-secrets:KeywordDetector", "%p14", "200 OK\nContent-Type: application/octet-stream\n\nDB_PASSWORD=«$»\n"),
    ("text-json", "https://api.slack.com/", "%p14", T("200 OK", '{"user": {"password": "«$»"}}')),
    ("form-no-type", "https://datatracker.ietf.org/doc/html/rfc9110#section-8.3", "%p14", "POST /untyped\n\nusername=a&password=«$»"),
    ("vendor-json", "https://jsonapi.org/", "%p14", 'POST /users/json-api\nContent-Type: application/vnd.api+json\n\n{"data": {"type": "users", "attributes": {"password": "«$»"}}}'),
    ("json-escapes", "https://datatracker.ietf.org/doc/html/rfc8259", "%p14", J("200 OK", '{"pass\\u0077ord": "«$»"}')),
    ("json-broken", "https://datatracker.ietf.org/doc/html/rfc8259", "%p14", J("200 OK", '{"user": "a", "password": "«$»", ')),
    ("google-prefix", "https://security.stackexchange.com/questions/110539", "%u40", J("200 OK", ')]}\'\n{"access_token": "«$»"}')),
    ("ldif", "https://datatracker.ietf.org/doc/html/rfc2849", "%p14", T("200 OK", "dn: cn=a\nuserPassword:: «$|b64»\n")),
    ("basic-in-text", "gitleaks:curl-auth-header", "%p14", T("200 OK", "Authorization: Basic «bob:$|b64»\n")),
    ("htpasswd", "https://httpd.apache.org/docs/2.4/misc/password_encryptions.html", "$apr1$%s8$%s22", T("200 OK", "bob:«$»\n")),
    ("cert-bundle", "https://developer.hashicorp.com/vault/api-docs/secret/pki", "%b128", J("200 OK", '{"data": {"private_key": "«$»", "private_key_type": "rsa"}}')),
    ("imds-token", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html", "AQAEA%u50==", "GET /latest/meta-data/\nX-aws-ec2-metadata-token: «$»"),
]:
    put(_name, _source, _shape, _message)
