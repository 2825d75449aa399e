"""What services say in other forms than ids: schemas, pages, prose, source code, catalogues, fields."""

import base64

from ordinary_kinds import Kinds, call, data, form, get, post, query, text

TEXTS = []


def kind(function):
    """Adds exchanges of one kind; their values depend on nothing but its own name."""
    TEXTS.append(lambda: list(function(Kinds(function.__name__))))
    return function


def marked(*lines: str) -> str:
    return "\n".join(lines) + "\n"


@kind
def schemas(k):
    account = {"type": "object", "required": ["email", "password"], "properties": {
        "email": {"type": "string", "format": "email", "example": "ada@example.com"},
        "password": {"type": "string", "minLength": 8, "format": "password", "writeOnly": True, "description": "At least eight characters."},
        "token": {"type": "string", "description": "The reset token from the mail", "maxLength": 64},
        "client_secret": {"type": "string", "nullable": True, "title": "Client secret"}, "api_key": {"$ref": "#/components/schemas/Key"},
        "secret": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "pin": {"type": "integer", "minimum": 1000, "maximum": 9999}}}
    yield get("json schema", "/schema.json", {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/account.json", **account})
    yield get("openapi", "/openapi.json", {"openapi": "3.1.0", "info": {"title": "Accounts", "version": "1.4.0"}, "security": [{"bearerAuth": []}], "paths": {
        "/token": {"post": {"operationId": "createToken", "summary": "Exchange a password for a token", "tags": ["auth"], "parameters": [
            {"name": "X-Api-Key", "in": "header", "schema": {"type": "string"}}, {"name": "token", "in": "query", "required": True, "description": "Access token"}]}}},
        "components": {"schemas": {"Account": account, "Password": {"type": "string", "pattern": "^(?=.*[a-z]).{8,}$"}}, "securitySchemes": {
            "bearerAuth": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}, "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}, "cookieAuth": {"type": "apiKey", "in": "cookie", "name": "JSESSIONID"},
            "oauth": {"type": "oauth2", "flows": {"password": {"tokenUrl": "https://id.example.com/token", "scopes": {"read": "Read"}}, "authorizationCode": {"authorizationUrl": "https://id.example.com/authorize", "tokenUrl": "/token", "refreshUrl": "/refresh"}}}}}})
    yield get("openapi yaml", "/openapi.yaml", text("application/yaml", marked(
        "components:", "  schemas:", "    Login:", "      properties:", "        password:", "          type: ⟦string⟧", "          format: ⟦password⟧", "          description: ⟦The password of the account⟧",
        "        token: {type: ⟦string⟧, maxLength: ⟦64⟧}", "        api_key:", "          $ref: ⟦'#/components/schemas/ApiKey'⟧", "  securitySchemes:", "    token:", "      type: ⟦apiKey⟧", "      name: ⟦Authorization⟧", "      in: ⟦header⟧")))
    yield get("introspection", "/graphql?query=introspection", {"data": {"__schema": {"types": [{"kind": "INPUT_OBJECT", "name": "LoginInput", "inputFields": [
        {"name": "password", "description": "In clear, over TLS", "type": {"kind": "NON_NULL", "name": None, "ofType": {"kind": "SCALAR", "name": "String"}}, "defaultValue": None},
        {"name": "token", "description": "One-time token", "type": {"kind": "SCALAR", "name": "ID"}}, {"name": "secret", "description": "Shared secret", "type": {"kind": "SCALAR", "name": "String"}}]}]}}})
    yield get("avro", "/subjects/login/versions/1", {"subject": "login", "id": k.number(1, 999), "schema": '{"type":"record","name":"Login","fields":[{"name":"password","type":"string"},{"name":"token","type":["null","string"]}]}'})
    yield get("columns", "/columns", {"columns": [{"column_name": "password", "data_type": "character varying", "is_nullable": "NO"}, {"column_name": "api_token", "data_type": "text", "column_default": None}], "fields": {"password": "varchar(255)", "token": "uuid", "secret": "bytea"}})
    yield get("form definition", "/forms/login", {"fields": [{"key": "password", "type": "password", "label": "Password", "placeholder": "Your password", "validate": {"minLength": 8}}, {"name": "token", "value": None, "label": "Token from your app"}, {"id": "secret", "type": "text", "hint": "Ask your administrator"}]})
    yield get("field errors", "/accounts", {"errors": {"password": ["is too short (minimum is 8 characters)", "must contain a digit"], "password_confirmation": ["doesn't match Password"], "token": ["has expired"], "api_key": ["can't be blank"]}}, status="422 Unprocessable Content")
    yield get("django errors", "/django", {"password": ["This password is too common."], "token": ["This field is required."], "secret": ["Not a valid string."], "non_field_errors": ["Unable to log in with provided credentials."]}, status="400 Bad Request")
    yield get("pydantic errors", "/pydantic", {"detail": [{"type": "string_too_short", "loc": ["body", "password"], "msg": "String should have at least 8 characters", "ctx": {"min_length": 8}}, {"type": "missing", "loc": ["header", "authorization"], "msg": "Field required"}]}, status="422 Unprocessable Content")
    yield get("problem", "/problem", {"type": "https://example.com/problems/weak-password", "title": "The password is too weak", "invalid-params": [{"name": "password", "reason": "must not contain the user name"}, {"name": "token", "reason": "is not known"}], "traceId": f"00-{k.hex(32)}-{k.hex(16)}-01"}, status="400 Bad Request")
    yield get("laravel errors", "/laravel", {"message": "The password field is required.", "errors": {"password": ["The password field is required."], "token": ["This password reset token is invalid."]}}, status="422 Unprocessable Content")
    yield get("rules", "/settings/security", {"password_policy": {"min_length": 12, "require_symbols": True, "max_age_days": 90, "history": 5}, "passwordMinLength": 8, "passwordRules": "minlength: 8; required: lower; required: digit", "passwordStrength": "strong", "password_expires_at": k.time(),
              "passwordLastChanged": k.time(), "password_reset_url": "https://example.com/password/reset", "token_lifetime": "PT1H", "tokenExpiry": k.epoch(), "token_endpoint": "/oauth/token", "secret_rotation_days": 30, "session_timeout": 1800, "api_key_header": "X-Api-Key", "apiKeyName": "search", "auth_method": "password", "authType": "Bearer",
              "credentials": "include", "authentication": "password", "credential_type": "public-key", "keyboard": "qwertz", "authority": "https://id.example.com/", "author": k.name(), "pinned": True, "secretary": k.name(), "compass": "north-north-east", "passenger": k.name(), "tokenizer": "whitespace", "passport_country": "NL",
              "serviceKey": "search", "customerKey": "59315", "accountKey": "ACME-6564", "sortKey": "created_at", "partition_key": "tenant#17", "foreignKey": "user_id", "primaryKey": "id", "cacheKey": "users:17:profile", "i18nKey": "login.title", "keyPath": "items[0].name", "hotkey": "ctrl+k", "accessKey": "s", "monkey": "capuchin", "keyframe": "fade-in"})


CATALOGUE = {
    "de": ("Passwort", "Passwort vergessen?", "Zugriffstoken", "Geheimnis", "API-Schlüssel", "Passwort wiederholen", "Das Passwort ist zu kurz.", "Sitzung abgelaufen"),
    "fr": ("Mot de passe", "Mot de passe oublié ?", "Jeton d'accès", "Code secret", "Clé d'API", "Répétez le mot de passe", "Le mot de passe est trop court.", "Session expirée"),
    "es": ("Contraseña", "¿Olvidó su contraseña?", "Token de acceso", "Secreto", "Clave de API", "Repita la contraseña", "La contraseña es demasiado corta.", "Sesión caducada"),
    "pt": ("Senha", "Esqueceu a senha?", "Token de acesso", "Segredo", "Chave de API", "Repita a senha", "A senha é muito curta.", "Sessão expirada"),
    "it": ("Parola d'ordine", "Hai dimenticato la password?", "Token di accesso", "Segreto", "Chiave API", "Ripeti la password", "La password è troppo corta.", "Sessione scaduta"),
    "nl": ("Wachtwoord", "Wachtwoord vergeten?", "Toegangstoken", "Geheim", "API-sleutel", "Herhaal wachtwoord", "Het wachtwoord is te kort.", "Sessie verlopen"),
    "pl": ("Hasło", "Nie pamiętasz hasła?", "Token dostępu", "Sekret", "Klucz API", "Powtórz hasło", "Hasło jest za krótkie.", "Sesja wygasła"),
    "ru": ("Пароль", "Забыли пароль?", "Токен доступа", "Секрет", "Ключ API", "Повторите пароль", "Пароль слишком короткий.", "Сеанс истёк"),
    "ja": ("パスワード", "パスワードをお忘れですか?", "アクセストークン", "シークレット", "APIキー", "パスワード(確認)", "パスワードが短すぎます。", "セッションの期限が切れました"),
    "zh": ("密码", "忘记密码?", "访问令牌", "密钥", "API 密钥", "再次输入密码", "密码太短。", "会话已过期"),
    "tr": ("Parola", "Parolanızı mı unuttunuz?", "Erişim belirteci", "Gizli anahtar", "API anahtarı", "Parolayı yineleyin", "Parola çok kısa.", "Oturum sona erdi"),
    "hi": ("पासवर्ड", "पासवर्ड भूल गए?", "एक्सेस टोकन", "गुप्त", "एपीआई कुंजी", "पासवर्ड दोहराएँ", "पासवर्ड बहुत छोटा है।", "सत्र समाप्त"),
}
LABELS = ("password", "forgot_password", "access_token", "secret", "api_key", "password_confirmation", "password_too_short", "session_expired")


@kind
def catalogues(k):
    for language, words in CATALOGUE.items():
        yield get(f"catalogue {language}", f"/locales/⟦{language}⟧.json", data({"login": dict(zip(LABELS, words))}, indent=2 if language < "h" else None), told=[("Content-Language", language)])
    yield get("flat catalogue", "/locales/en.json", {"login.password.label": "Password", "login.token": "Token", "settings.apiKey": "API key", "password": "Password", "secret": "Secret", "token": "Token", "pin": "PIN", "passphrase": "Passphrase", "authorization": "Authorization", "credentials": "Credentials",
              "password.placeholder": "Enter your password", "passwordHelp": "Use 8 or more characters.", "clientSecret": "Client secret", "accessKey": "Access key", "privateKey": "Private key", "otp": "One-time code", "cookie": "Cookies", "session": "Session", "auth": "Sign in", "signature": "Signature"})
    yield get("po", "/locales/de.po", text("text/x-gettext-translation", marked('msgid "Password"', 'msgstr "⟦Passwort⟧"', "", 'msgid "Your token has expired"', 'msgstr "⟦Ihr Token ist abgelaufen⟧"', "", 'msgctxt "secret"', 'msgid "Secret"', 'msgstr "⟦Geheimnis⟧"')))
    yield get("properties", "/messages.properties", text("text/plain", marked("login.password=⟦Password⟧", "login.password.forgotten=⟦Forgotten your password?⟧", "token.expired=⟦The token has expired⟧", "secret.label=⟦Secret⟧", "api.key.hint=⟦Paste your key here⟧")))
    yield get("strings", "/Localizable.strings", text("text/plain", marked('"password" = "⟦Passwort⟧";', '"token" = "⟦Token⟧";', '"api_key" = "⟦API-Schlüssel⟧";')))
    yield get("yaml catalogue", "/config/locales/de.yml", text("application/yaml", marked("de:", "  activerecord:", "    attributes:", "      user:", "        password: ⟦Passwort⟧", "        password_confirmation: ⟦Passwort bestätigen⟧", "        api_token: ⟦API-Token⟧", "        secret: ⟦Geheimnis⟧")))
    yield get("android", "/values-de/strings.xml", text("application/xml", '<resources><string name="password">⟦Passwort⟧</string>\n<string name="token">⟦Token⟧</string>\n<string name="api_key_label">⟦API-Schlüssel⟧</string></resources>\n'))
    yield get("xliff", "/messages.de.xlf", text("application/xliff+xml", '<trans-unit id="password"><source>⟦Password⟧</source><target>⟦Passwort⟧</target></trans-unit>\n'))


@kind
def pages(k):
    yield get("login page", "/login", text("text/html; charset=utf-8", marked(
        "<!DOCTYPE html>", '<html lang="⟦en-GB⟧"><head><meta charset="utf-8"><title>⟦Sign in⟧</title>', f'<link rel="stylesheet" href="/app.⟦{k.hex(20)}⟧.css" integrity="⟦{k.integrity("sha384")}⟧" crossorigin="anonymous">',
        f'<script src="/app.⟦{k.hex(20)}⟧.js" integrity="⟦{k.integrity("sha256")}⟧"></script>', f'<link rel="icon" href="data:image/png;base64,⟦{k.png()}⟧"></head><body>',
        '<form action="/session" method="post" autocomplete="on">', '<label for="password">⟦Password⟧</label>', '<input type="⟦password⟧" name="⟦password⟧" id="⟦password⟧" autocomplete="⟦current-password⟧" minlength="⟦8⟧" placeholder="⟦Your password⟧" value="">',
        '<input type="text" name="token" placeholder="⟦Six digits⟧" inputmode="numeric">', '<input name="api_key" type="text" aria-label="⟦API key⟧" data-testid="⟦api-key-input⟧">', '<button name="action" value="⟦login⟧">⟦Sign in⟧</button>',
        '<a href="⟦/password/reset⟧">⟦Forgot your password?⟧</a></form>', '<p class="error">⟦The password you entered is wrong.⟧</p>', '<select name="secret_question"><option value="⟦pet⟧">⟦Name of your first pet⟧</option></select>', "</body></html>")))
    yield get("images", "/gallery", text("text/html", "".join(f'<img alt="{k.word()}" src="data:image/{kind};base64,⟦{make()}⟧">\n' for kind, make in (("png", k.png), ("gif", k.gif), ("jpeg", k.jpeg)) for _ in range(4))))
    yield get("styles", "/app.css", text("text/css", "".join(f'@font-face {{ font-family: "{k.word()}"; src: url(data:font/woff2;base64,⟦{k.woff2()}⟧) format("woff2"); }}\n' for _ in range(4)) + marked(
        'input[type="password"] { color: ⟦#0b5fff⟧; }', ".token-keyword { color: ⟦#d73a49⟧; }", ".password-strength { width: ⟦80%⟧; }", ":root { --token-color: ⟦rgb(11 95 255)⟧; --secret-size: ⟦1.25rem⟧; --key-shadow: ⟦0 1px 2px⟧; }", "#secret { display: ⟦none⟧; }")))
    yield get("bundle", "/app.js", text("text/javascript", marked(
        '"use strict";const t="⟦password⟧",n=e=>e.target.value;', "const password = ⟦document.querySelector('#password').value⟧;", "const token = ⟦localStorage.getItem('token')⟧;", "const apiKey = ⟦process.env.API_KEY⟧;", "headers: { Authorization: `Bearer ⟦${token}⟧` },",
        "fetch('/api/me', { credentials: '⟦include⟧', headers: { 'X-CSRF-Token': ⟦csrfToken⟧ } });", "if (!password) throw new Error('⟦Password is required⟧');", "const { accessToken, refreshToken } = ⟦await login(user, password)⟧;", "const schema = z.object({ password: ⟦z.string().min(8)⟧, token: ⟦z.string().uuid()⟧ });",
        "let secret = ⟦null⟧, key = ⟦event.key⟧, keyCode = ⟦13⟧;", "export const TOKEN_TYPES = { bearer: '⟦Bearer⟧', mac: '⟦MAC⟧' };", "const tokens = ⟦text.split(/\\s+/)⟧;", "this.password = ⟦this.form.get('password')⟧;", "const passwordRegex = ⟦/^(?=.*\\d).{8,}$/⟧;",
        f"//# sourceMappingURL=app.⟦{k.hex(20)}⟧.js.map", f'__webpack_require__.h = () => "⟦{k.hex(20)}⟧";', f'"chunk-{k.hex(8)}":"⟦{k.hex(8)}⟧"')))
    yield get("icon", "/key.svg", text("image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><title>⟦Password⟧</title><path d="⟦M12 17a2 2 0 0 0 2-2 2 2 0 0 0-2-2⟧"/><image href="data:image/png;base64,⟦{k.png()}⟧"/></svg>\n'))
    yield get("next data", "/next", text("text/html", f'<script id="__NEXT_DATA__" type="application/json">{{"buildId":"⟦{k.nanoid()}⟧","page":"⟦/password/[token]⟧","query":{{}},"assetPrefix":"⟦https://cdn.example.com⟧"}}</script>\n'))
    yield get("reset mail", "/mail.html", text("text/html", marked("<p>⟦Hello Ada,⟧</p>", "<p>⟦you asked for a new password. If it was not you, ignore this mail.⟧</p>", "<p>Password: ⟦(unchanged)⟧</p>", "<p class=signature>⟦Kind regards, your security team⟧</p>")))


@kind
def prose(k):
    yield get("readme", "/README.md", text("text/markdown", marked(
        "# Client for the API", "", "⟦Create a token under *Settings → Tokens* and export it:⟧", "", "```sh", "export API_TOKEN=⟦<your token>⟧", 'export API_KEY="⟦YOUR_API_KEY⟧"', 'curl -H "Authorization: Bearer ⟦$API_TOKEN⟧" https://api.example.com/v1/me', "curl -u ⟦USERNAME:PASSWORD⟧ https://api.example.com/",
        "mysql -u root -p", "```", "", "⟦The password must have at least twelve characters; a token is valid for one hour.⟧", "", "| name | default | meaning |", "|---|---|---|", "| `password` | ⟦none⟧ | ⟦the password of the account⟧ |", "| `token_ttl` | ⟦3600⟧ | seconds |", "",
        "- password: ⟦required⟧", "- token: ⟦optional⟧", "- Secret: ⟦see the vault⟧", "", "**Password:** ⟦ask the secretary⟧", "", "```python", 'client = Client(token=⟦os.environ["API_TOKEN"]⟧)', 'password = ⟦getpass.getpass("Password: ")⟧', "```", "",
        "```json", '{"password": "⟦string⟧", "token": "⟦...⟧", "api_key": "⟦********⟧", "secret": "⟦<redacted>⟧"}', "```", "", "[Reset your password](⟦https://example.com/help/reset-your-password⟧)")))
    yield get("article", "/articles/passwords", {"title": "Why passwords fail", "slug": "why-passwords-fail-and-tokens-too", "body": "A password is only as good as its owner. Use a token: it expires. Authorization: see chapter 3. Password: the word comes from the watchword of sentries. The secret: practice.", "keywords": ["password", "token", "secret", "bearer", "session"],
              "excerpt": "The key to good security is a good key.", "author": k.name(), "tags": [{"name": "password", "slug": "password"}, {"name": "token", "slug": "token"}], "token": "noun: a thing serving as a visible representation", "reading_time": "4 min"})
    yield get("dictionary", "/define/secret", {"word": "secret", "phonetic": "/ˈsiːkrɪt/", "meanings": [{"partOfSpeech": "noun", "definitions": [{"definition": "Something kept from the knowledge of others.", "example": "The secret: a little salt."}]}], "synonyms": ["password", "watchword", "key"]})
    yield get("recipe", "/recipes/17", {"name": "Bread", "ingredients": {"flour": "500 g", "salt": "2 tsp", "hash": "brown"}, "yield": "1 loaf", "totalTime": "PT3H20M"})
    yield get("chat", "/chat", {"messages": [{"text": "What's the password policy? 12 characters, right?"}, {"text": "token: is it the blue one?"}, {"text": "password is in the vault, ask Ada"}, {"text": "My token expired again :("}, {"text": "Bearer of bad news: the build is red"}, {"text": "basic question: how do I rotate a key?"}]})
    yield get("questions", "/questions.txt", text("text/plain", marked("⟦Q: I lost my password. What now?⟧", "⟦A: Use the reset link; a token arrives by mail.⟧", "⟦Q: How long is a token valid?⟧", "⟦A: One hour. The authorization server decides.⟧", "⟦Password requirements: eight characters, one digit.⟧", "⟦Secret questions were removed in 2024.⟧", "⟦Bearer tokens are described in RFC 6750.⟧")))
    yield get("man page", "/man/curl.txt", text("text/plain", marked("       -u, --user <user:password>", "              ⟦Specify the user name and password to use for server authentication.⟧", "       --oauth2-bearer <token>", "              ⟦Specify the Bearer Token for OAUTH 2.0 server authentication.⟧", "       --pass <phrase>", "              ⟦(TLS SSH) Passphrase for the private key.⟧", "       --proxy-pass <phrase>", "       --key <key>", "              ⟦Private key filename.⟧")))
    yield get("mail", "/mail.txt", text("message/rfc822", marked(f"Message-ID: <⟦{k.base62(22)}@example.com⟧>", "Subject: ⟦Your password was changed⟧", f"Date: ⟦{k.http_date()}⟧", "Content-Type: text/plain", "", "⟦Hello,⟧", "⟦your password was changed today.⟧", "-- ", f"⟦{k.name()}, secretary⟧")))
    yield get("calendar", "/calendar.ics", text("text/calendar", marked("BEGIN:VEVENT", f"UID:⟦{k.uuid4()}@example.com⟧", f"DTSTAMP:⟦{k.moment().strftime('%Y%m%dT%H%M%SZ')}⟧", "SUMMARY:⟦Session: from passwords to passkeys⟧", "END:VEVENT")))
    yield get("feed", "/feed.xml", text("application/rss+xml", f'<rss version="2.0"><channel><item><title>⟦Password managers compared⟧</title><guid isPermaLink="false">⟦{k.uuid4()}⟧</guid><pubDate>⟦{k.http_date()}⟧</pubDate></item></channel></rss>\n'))


@kind
def source_code(k):
    yield get("python", "/src/auth.py", text("text/x-python", marked(
        "def login(user: str, password: ⟦str⟧, token: ⟦str | None = None⟧) -> Session:", '    """⟦Checks the password and returns a session.⟧"""', "    password = ⟦request.form[\"password\"]⟧", "    if not check_password(password, ⟦user.password_hash⟧):", '        raise AuthError("⟦wrong password⟧")', '    token = ⟦secrets.token_urlsafe(32)⟧',
        '    SECRET_KEY = ⟦os.environ.get("SECRET_KEY")⟧', '    api_key = ⟦config["api_key"]⟧', '    parser.add_argument("--password", help="⟦the password of the account⟧", default=⟦None⟧)', '    password = ⟦models.CharField(max_length=128)⟧', "    self.token = ⟦token⟧", "    return Session(token=⟦token⟧, password=⟦None⟧)")))
    yield get("swift", "/Sources/Login.swift", text("text/plain", marked("struct Login: Codable {", "    var password: ⟦String⟧", "    let token: ⟦AccessToken?⟧", '    static let passwordKey = "⟦password⟧"', "    init(password: ⟦String⟧) { self.password = ⟦password⟧ }", '    let label = NSLocalizedString("⟦password⟧", comment: "⟦Label of the password field⟧")', '    request.setValue("Bearer \\(⟦token⟧)", forHTTPHeaderField: "⟦Authorization⟧")', "}")))
    yield get("go", "/auth.go", text("text/x-go", marked("type Login struct {", '\tPassword string `json:"⟦password⟧" validate:"⟦required,min=8⟧"`', '\tToken    string `json:"⟦token,omitempty⟧"`', "}", 'password := ⟦os.Getenv("DB_PASSWORD")⟧', 'token, err := ⟦jwt.Parse(raw, keyFunc)⟧', 'flag.StringVar(&password, "password", "", "⟦password of the database⟧")')))
    yield get("java", "/Login.java", text("text/x-java", marked("private String password;", "this.password = ⟦password⟧;", '@Value("⟦${app.jwt.secret}⟧") private String secret;', 'String token = ⟦request.getHeader("Authorization")⟧;', "public void setPassword(String password) { this.password = ⟦encoder.encode(password)⟧; }", "private static final String PASSWORD = ⟦System.getenv(\"DB_PASSWORD\")⟧;")))
    yield get("ruby", "/user.rb", text("text/x-ruby", marked("validates :password, length: { minimum: ⟦8⟧ }", "has_secure_password", "password: ⟦params[:password]⟧", "password: ⟦<%= ENV['DATABASE_PASSWORD'] %>⟧", "token = ⟦SecureRandom.hex(16)⟧", "api_key: ⟦Rails.application.credentials.api_key⟧")))
    yield get("sql", "/schema.sql", text("application/sql", marked("CREATE TABLE users (", f"  id ⟦uuid PRIMARY KEY⟧,", "  password ⟦varchar(255) NOT NULL⟧,", "  token ⟦text UNIQUE⟧,", "  password_hash ⟦bytea⟧", ");", "SELECT id, password FROM users WHERE token = ⟦$1⟧;", "UPDATE users SET password = ⟦:password⟧ WHERE id = ⟦:id⟧;", "CREATE ROLE web LOGIN PASSWORD ⟦NULL⟧;", "ALTER TABLE users ADD COLUMN api_key ⟦text DEFAULT NULL⟧;", "-- password: ⟦hashed with argon2⟧")))
    yield get("workflow", "/.github/workflows/ci.yml", text("application/yaml", marked("env:", "  GITHUB_TOKEN: ⟦${{ secrets.GITHUB_TOKEN }}⟧", "  NPM_TOKEN: ⟦${{ secrets.NPM_TOKEN }}⟧", "permissions:", "  id-token: ⟦write⟧", "  contents: ⟦read⟧", "jobs:", "  test:", "    steps:", f"      - uses: actions/checkout@⟦{k.sha1()}⟧ # v5", "        with:", "          persist-credentials: ⟦false⟧", "          token: ⟦${{ github.token }}⟧", "          cache-key: ⟦deps-${{ hashFiles('package-lock.json') }}⟧")))
    yield get("environment", "/.env.example", text("text/plain", marked("DB_PASSWORD=", "API_KEY=⟦changeme⟧".replace("changeme", "<your-api-key>"), "SECRET_KEY_BASE=⟦${SECRET_KEY_BASE}⟧", "TOKEN_TTL=⟦3600⟧", "PASSWORD_MIN_LENGTH=⟦12⟧", "AUTH_PROVIDER=⟦oidc⟧", "SESSION_DRIVER=⟦redis⟧", "TOKENIZERS_PARALLELISM=⟦false⟧", "PUBLIC_KEY_PATH=⟦/etc/keys/public.pem⟧", "JWT_ALGORITHM=⟦RS256⟧")))
    yield get("hcl", "/main.tf", text("text/plain", marked('resource "random_password" "db" {', "  length = ⟦24⟧", "}", 'resource "aws_db_instance" "db" {', "  password = ⟦random_password.db.result⟧", "  username = ⟦var.db_username⟧", "}", 'variable "api_token" {', "  type      = ⟦string⟧", "  sensitive = ⟦true⟧", "}", "token = ⟦var.api_token⟧", "secret_id = ⟦aws_secretsmanager_secret.db.id⟧")))
    yield get("nginx", "/nginx.conf", text("text/plain", marked("auth_basic           ⟦\"Restricted\"⟧;", "auth_basic_user_file ⟦/etc/nginx/.htpasswd⟧;", "ssl_certificate_key  ⟦/etc/ssl/private/example.key⟧;", "ssl_password_file    ⟦/etc/keys/global.pass⟧;", "proxy_pass           ⟦http://backend⟧;", "proxy_set_header     Authorization ⟦$http_authorization⟧;", "server_tokens        ⟦off⟧;")))
    yield get("diff", "/pull/17.diff", text("text/x-diff", marked(f"index ⟦{k.hex(10)}..{k.hex(10)}⟧ 100644", "--- a/auth.py", "+++ b/auth.py", "@@ -1,3 +1,3 @@ def login(password):", "-    token = ⟦make_token(user)⟧", "+    token = ⟦make_token(user, ttl=3600)⟧")))
    yield get("git log", "/log.txt", text("text/plain", "".join(f"commit ⟦{k.sha1()}⟧\nAuthor: {k.name()} <{k.word()}@example.org>\n\n    ⟦Fix {k.word()} when the token has expired⟧\n\n" for _ in range(8))))


@kind
def logs(k):
    def line():
        return k.one(
            f'{k.ip()} - - [31/Jan/2026:09:12:44 +0000] "GET /password/reset HTTP/1.1" 200 ⟦{k.digits(4)}⟧ "-" "⟦Mozilla/5.0 (X11; Linux x86_64)⟧"', f"time={k.time_milliseconds()} level=info msg=\"⟦token refreshed⟧\" trace_id=⟦{k.hex(32)}⟧ span_id=⟦{k.hex(16)}⟧",
            f"Jan 31 09:12:44 host sshd[{k.digits(4)}]: Accepted publickey for alice from {k.ip()} port {k.digits(5)} ssh2: ED25519 ⟦{k.ssh_fingerprint()}⟧", f"sshd[{k.digits(4)}]: Failed password for invalid user ⟦{k.word()}⟧ from ⟦{k.ip()}⟧ port ⟦{k.digits(5)}⟧ ssh2",
            f"INFO  o.e.auth - password changed user=⟦{k.slug()}⟧ request=⟦{k.uuid4()}⟧ duration=⟦{k.number(1, 900)}ms⟧", f"level=warn component=auth token_state=⟦expired⟧ subject=⟦{k.ulid()}⟧ object=⟦orders/{k.ksuid()}⟧", f"[{k.time()}] auth.WARNING: Token not found {{\"request_id\":\"⟦{k.uuid7()}⟧\"}}",
            f"mysqld: Access denied for user '⟦{k.word()}⟧'@'{k.ip()}' (using password: ⟦YES⟧)", f"sudo: pam_unix(sudo:session): session opened for user ⟦root⟧(uid=0) by {k.word()}(uid={k.digits(4)})")
    yield get("log", "/app.log", text("text/plain", f"level=info component=store stored key=⟦orders/2026/{k.uuid4()}.json⟧\n" + "".join(line() + "\n" for _ in range(60))))
    yield get("ndjson", "/app.ndjson", text("application/x-ndjson", "".join('{"ts":"⟦%s⟧","msg":"⟦password reset requested⟧","requestId":"⟦%s⟧","tokens":⟦%d⟧,"auth":"⟦password⟧"}\n' % (k.time_milliseconds(), k.uuid4(), k.number(1, 99)) for _ in range(10))))
    yield get("csv", "/users.csv", text("text/csv", "id,email,password_changed_at,token_count,external_id\n" + "".join(f"⟦{k.digits(6)}⟧,{k.word()}@example.com,⟦{k.time()}⟧,⟦{k.number(1, 9)}⟧,⟦{k.uuid4()}⟧\n" for _ in range(10))))
    yield get("metrics", "/metrics", text("text/plain; version=0.0.4", "".join(f'{name}{{token_type="⟦{k.one("bearer", "mac", "dpop")}⟧",password_policy="⟦strict⟧",instance="⟦{k.ip()}:9090⟧"}} ⟦{k.digits(5)}⟧\n' for name in ("auth_tokens_issued_total", "password_resets_total", "sessions_active", "secret_rotations_total"))))


@kind
def fields(k):
    for number in range(6):
        yield get(f"trace {number}", f"/status/{number}", {"ok": True}, asked=[
            ("traceparent", f"00-{k.hex(32)}-{k.hex(16)}-01"), ("tracestate", f"congo=t61rcWkgMzE,rojo={k.hex(16)}"), ("baggage", f"sentry-trace_id={k.hex(32)},sentry-environment=prod"), ("sentry-trace", f"{k.hex(32)}-{k.hex(16)}-1"), ("X-B3-TraceId", k.hex(32)), ("X-B3-SpanId", k.hex(16)), ("b3", f"{k.hex(32)}-{k.hex(16)}-1"),
            ("X-Correlation-Id", k.uuid4()), ("If-None-Match", f'W/"{k.hex(20)}", "{k.md5()}"'), ("Idempotency-Key", k.uuid4()), ("Accept-Language", "de-DE,de;q=0.9,en;q=0.8"), ("X-Device-Id", k.uuid4()), ("Priority", "u=3, i"), ("User-Agent", f"okhttp/{k.version()} (token-client)")], told=[
            ("ETag", k.one(f'"{k.hex(8)}-{k.hex(12)}"', f'W/"{k.hex(3)}-{k.base64(20)}"', f'"{k.md5()}-{k.number(2, 99)}"')), ("X-Request-Id", k.one(k.uuid4(), k.ulid(), k.hex(32), k.ksuid())), ("CF-Ray", f"{k.hex(16)}-FRA"), ("X-Served-By", f"cache-ams{k.digits(5)}-AMS"), ("X-Timer", f"S{k.epoch()}.{k.digits(6)},VS0,VE1"), ("X-Vercel-Id", f"fra1::{k.lower(5)}-{k.digits(13)}-{k.hex(12)}"),
            ("Fly-Request-Id", k.ulid() + "-ams"), ("X-Akamai-Request-ID", k.hex(8)), ("Last-Modified", k.http_date()), ("Expires", k.http_date()), ("Cache-Control", "private, max-age=600, stale-while-revalidate=30"), ("Server-Timing", 'auth;dur=12.3;desc="token check"'), ("Digest", f"sha-256={k.base64(32)}"), ("Repr-Digest", f"sha-256=:{k.base64(32)}:"), ("X-Powered-By", "Passenger/6.0"),
            ("Surrogate-Key", f"user/{k.digits(5)} post/{k.digits(5)}"), ("Cache-Tag", k.slug()), ("X-Cache-Key", f"/status/{number}?v={k.hex(8)}")])
    yield get("policies", "/policies", {"ok": True}, told=[
        ("Content-Security-Policy", f"default-src 'self'; script-src 'self' 'sha256-⟦{k.base64(32)}⟧' 'sha384-⟦{k.base64(48)}⟧'; require-trusted-types-for 'script'; report-uri /csp"), ("Permissions-Policy", "publickey-credentials-get=(self), otp-credentials=(), browsing-topics=()"), ("Strict-Transport-Security", "max-age=63072000; includeSubDomains; preload"),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Api-Key, X-CSRF-Token"), ("Access-Control-Allow-Credentials", "true"), ("Access-Control-Expose-Headers", "ETag, X-Auth-Token-Expires, X-Next-Token"), ("Vary", "Accept-Encoding, Authorization, Cookie"), ("X-Auth-Token-Expires", "3600"), ("X-RateLimit-Limit-Tokens", "90000"), ("X-Password-Expires-In", "30"),
        ("Link", f'</items?cursor=⟦{k.cursor().rstrip("=")}⟧>; rel="next", </app.css>; rel=preload; as=style'), ("Report-To", '{"group":"default","max_age":31536000,"endpoints":[{"url":"https://r.example.com/a/d"}]}'), ("Public-Key-Pins-Report-Only", f'pin-sha256="⟦{k.base64(32)}⟧"; max-age=60'), ("Server", "tokengate/1.4"), ("Allow", "GET, HEAD, OPTIONS"), ("X-Auth-Method", "password"), ("X-Token-Type", "bearer")])
    yield get("basic challenge", "/basic", {"error": "unauthorized"}, status="401 Unauthorized", told=[("WWW-Authenticate", 'Basic realm="⟦User Visible Realm⟧", charset="⟦UTF-8⟧"')])
    yield get("digest challenge", "/bearer", {"error": "unauthorized"}, status="401 Unauthorized", told=[("WWW-Authenticate", 'Bearer realm="⟦example⟧", error="⟦invalid_token⟧", error_description="⟦The access token expired⟧", scope="⟦openid profile⟧"'), ("Proxy-Authenticate", 'Basic realm="⟦proxy⟧"')])
    yield get("cookies", "/cookies", {"ok": True}, asked=[("Cookie", "locale=⟦de-DE⟧; theme=⟦dark⟧; lang=⟦de⟧; cookie_consent=⟦true⟧")], told=[("Set-Cookie", "locale=⟦en-US⟧; Path=/; Max-Age=31536000"), ("Set-Cookie", "cookieconsent_status=⟦dismiss⟧; Path=/; Expires=⟦Wed, 31 Jan 2027 09:12:44 GMT⟧"), ("Set-Cookie", "theme=⟦light⟧; SameSite=Lax"), ("Set-Cookie", "timezone=⟦Europe/Amsterdam⟧; Path=/")])
    for pairs in (dict(cursor=k.cursor(), limit=20), dict(page_token=k.base64url(30), pageSize=50), dict(nextToken=k.base64(30)), dict(continuation=k.base64(45)), dict(next_page_token=k.base64url(24)), dict(after=k.relay_cursor(), first=10), dict(pageToken=k.digits(20)), dict(continuationToken=k.base64(33)), dict(sync_token=k.base64url(20)),
                  dict(sort_key="created_at", key="orders/2026/17.json"), dict(token_type="bearer", max_tokens=512), dict(response_type="code", scope="openid email", code_challenge_method="S256", prompt="login"), dict(keyword="password", author="ada"), dict(password_changed_after=k.time()), dict(v=k.hex(20)), dict(hash=k.sha256()), dict(digest="sha256:" + k.sha256()), dict(id=k.uuid4(), trace=k.ulid()),
                  dict(q="how to reset password", token_count=17), dict(marker=k.base64(24)), dict(resumeToken=k.ulid()), dict(skipToken=k.base64url(24)), dict(signature_algorithm="RS256"), dict(key_id=k.hex(16), fingerprint=k.ssh_fingerprint()), dict(passengers=2, pass_type="day"), dict(lat="52.370216", lon="4.895168")):
        yield get("query " + next(iter(pairs)), "/items" + query(**pairs), {"next_cursor": k.cursor(), "nextToken": k.base64(30), "nextPageToken": k.base64url(24), "continuationToken": k.base64(33), "continuation": k.ulid(), "page_token": None, "prevCursor": k.relay_cursor(), "resume_token": k.object_id()}, told=[("ETag", f'"{k.sha1()}"')])
    for name, value in (("uuid", k.uuid4()), ("ulid", k.ulid()), ("ksuid", k.ksuid()), ("nanoid", k.nanoid()), ("hash", k.sha256()), ("object", k.object_id()), ("slug", "how-to-reset-your-password"), ("token", "0x" + k.hex(40)), ("secrets", "db-password"), ("tokens", str(k.number(1, 99))), ("passwords", "reset"), ("keys", k.ssh_fingerprint().replace("/", "_"))):
        yield get(f"path {name}", f"/{name}/⟦{value}⟧/details", {"id": value, "slug": k.slug()})
    yield post("login page again", "/session/new", form(("utf8", "✓"), ("locale", "de-DE"), ("password_hint", "pet"), ("token_type", "bearer"), ("grant_type", "client_credentials"), ("remember_me", "1"), ("max_tokens", "512"), ("cursor", k.cursor()), ("author", k.name()), ("keyboard", "qwertz"), ("tokens", "17"), ("commit", "Log in"), ("pass_count", "3")), {"ok": True})
    yield call("multipart", "POST", "/upload", text("multipart/form-data; boundary=x7", "--x7\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n⟦How to choose a password⟧\r\n--x7\r\nContent-Disposition: form-data; name=\"sha256\"\r\n\r\n⟦" + k.sha256() + "⟧\r\n--x7\r\nContent-Disposition: form-data; name=\"file\"; filename=\"⟦password-policy.txt⟧\"\r\n\r\n⟦Passwords have twelve characters.⟧\r\n--x7--\r\n"), {"id": k.uuid4(), "checksum": k.md5()})


@kind
def places_and_times(k):
    yield get("geojson", "/map.geojson", data({"type": "FeatureCollection", "features": [{"type": "Feature", "id": f"way/{k.digits(9)}", "geometry": {"type": "LineString", "coordinates": [k.coordinates() for _ in range(6)]}, "properties": {"name": k.slug(), "@id": f"node/{k.digits(10)}", "wikidata": "Q" + k.digits(6), "access": "private", "mountain_pass": "yes"}} for _ in range(4)]}, "application/geo+json"))
    yield get("times", "/times", {"rfc3339": k.time(), "offset": "2026-01-31T10:12:44+01:00", "date": "2026-01-31", "time": "10:12:44.123", "epoch": k.epoch(), "millis": k.epoch() * 1000, "nanos": k.digits(19), "http": k.http_date(), "rfc850": "Saturday, 31-Jan-26 09:12:44 GMT", "asctime": "Sat Jan 31 09:12:44 2026", "week": "2026-W05-6", "ordinal": "2026-031", "duration": "P1Y2M10DT2H30M", "ruby": "2026-01-31 10:12:44 +0100", "dotnet": "/Date(1769850764000)/", "go": "1h15m30.918273645s", "cron": "*/15 0 1,15 * 1-5", "tz": "America/Argentina/Buenos_Aires"})
    yield get("numbers", "/numbers", {"isbn13": "978-3-16-148410-0", "isbn10": "0-306-40615-2", "issn": "2049-3630", "doi": "10.1000/xyz123", "orcid": "0000-0002-1825-0097", "ean": "4006381333931", "vin": "1M8GDM9AXKP042788", "imei": "49-015420-323751-8", "vat": "NL" + k.digits(9) + "B01", "order": f"DE{k.digits(20)}", "invoice": f"INV-2026-{k.digits(6)}", "phone": "+49 30 901820", "tracking": "1Z" + k.upper(16), "mac": "00:1b:63:84:45:e6", "ipv6": "2001:db8:85a3::8a2e:370:7334", "currency": "EUR", "price": "1.299,00 €",
              "language": "zh-Hant-TW", "mime": "application/vnd.api+json", "version": "v2.14.0-rc.3+build.417", "color": "#0b5fff", "license_plate": "GB-JX-92", "bic": "DEUTDEFF500", "semver_range": "^18.2.0 || >=19", "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "regex": "^[A-Za-z0-9_-]{22}$", "unit": "kB/s"})
    yield get("flags", "/flags", {"flags": {name: {"enabled": True, "variation": k.one("on", "control", "treatment"), "version": k.number(1, 99), "salt_key": None} for name in ("passwordless-login", "new-token-page", "rotate_secrets", "session-replay", "api-key-v2")}, "environmentId": k.object_id(), "etag": k.hex(12)})
    yield get("kinds", "/ids", {"items": [{"uuid": k.uuid4(), "uuid1": k.uuid1(), "uuid7": k.uuid7(), "ulid": k.ulid(), "ksuid": k.ksuid(), "nanoid": k.nanoid(), "objectId": k.object_id(), "snowflake": k.snowflake(), "sha": k.sha1(), "digest": "sha256:" + k.sha256(), "checksum": k.md5(), "integrity": k.integrity(), "fingerprint": k.ssh_fingerprint(), "thumbprint": k.sha1().upper(), "sha512": k.sha512(), "crc32": k.hex(8), "etag": f'W/"{k.hex(16)}"', "requestId": k.upper(16), "publicKey": k.base64(32), "public_key_pem": k.public_key(), "certificate": k.certificate(), "image": "data:image/png;base64," + k.png(), "font": "data:font/woff2;base64," + k.woff2()} for _ in range(5)]})
    yield get("gpio", "/board", {"pins": [{"pin": 13, "mode": "OUTPUT"}], "keys": {"k": "colour", "d": "M0 0h24v24H0z"}, "seed": 42, "nonce_length": 12, "iv_length": 16, "hash": "blake3"})


@kind
def everyday_secrets(k):
    """Credentials that are everyday words, which stay as they are wherever they are no credentials."""
    for user, password in (("admin", "production"), ("orders", "password"), ("web", "changeme"), ("alice", "secretary")):
        said = base64.b64encode(f"{user}:{password}".encode()).decode()
        yield get(f"as {user}", f"/users/⟦{user}⟧/environments/⟦{password}⟧", {
            "role": user, "environment": password, "path": f"/users/{user}/{password}", "tags": [user, password, "staging"],
            "note": f"{user} moved {password} to the new host"}, credentials=[("Authorization", f"Basic {said}")])
    yield get("after all", "/users/⟦admin⟧/orders/⟦production⟧/changeme", text("text/html", "<p>⟦admin⟧, ⟦production⟧, ⟦changeme⟧ and ⟦secretary⟧</p>\n"),
              credentials=[("Authorization", f"Bearer {k.base62(40)}"), ("Cookie", f"session={k.base62(32)}")])
