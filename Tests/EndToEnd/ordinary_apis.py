"""Sessions with the APIs of well-known services: their names and places, with values of our own."""

from ordinary_kinds import Kinds, call, data, form, get, post, query, text

APIS = []


def api(function):
    """Adds the calls of one service; its values depend on nothing but its own name."""
    APIS.append(lambda: list(function(Kinds(function.__name__))))
    return function


def times(count, make):
    return [make() for _ in range(count)]


def github_user(k):
    login = k.slug()
    number = k.number(10**4, 10**8)
    return {
        "login": login, "id": number, "node_id": k.github_node("User"),
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number}?v=4", "gravatar_id": "",
        "url": f"https://api.github.com/users/{login}",
        "starred_url": f"https://api.github.com/users/{login}/starred{{/owner}}{{/repo}}",
        "keys_url": f"https://api.github.com/users/{login}/keys{{/key_id}}", "type": "User", "site_admin": False}


@api
def github(k):
    limits = [
        ("X-GitHub-Request-Id", f"{k.hex(4).upper()}:{k.hex(6).upper()}:{k.hex(7).upper()}:{k.hex(7).upper()}:{k.hex(8).upper()}"),
        ("ETag", f'W/"{k.sha256()}"'), ("X-RateLimit-Reset", str(k.epoch())), ("X-RateLimit-Remaining", "4987"),
        ("X-OAuth-Scopes", "repo, read:packages, admin:public_key"), ("X-Accepted-OAuth-Scopes", "repo"),
        ("github-authentication-token-expiration", "2027-01-31 09:12:44 UTC"),
        ("Last-Modified", k.http_date())]

    def commit():
        sha, tree = k.sha1(), k.sha1()
        return {
            "sha": sha, "node_id": "C_kwDO" + k.base62(48),
            "commit": {
                "author": {"name": k.name(), "email": f"{k.word()}@example.org", "date": k.time()},
                "message": f"Fix token refresh in {k.slug()}", "tree": {"sha": tree},
                "verification": {
                    "verified": True, "reason": "valid", "payload": f"tree {tree}\nparent {k.sha1()}\n",
                    "signature": "-----BEGIN PGP SIGNATURE-----\n\n" + k.base64(96) + "\n-----END PGP SIGNATURE-----",
                    "verified_at": k.time()}},
            "author": github_user(k), "parents": [{"sha": k.sha1()}]}
    yield get("commits", "/repos/octo/hello/commits" + query(sha=k.sha1(), per_page=5), times(5, commit), told=limits + [
        ("Link", f'<https://api.github.com/repositories/⟦{k.digits(9)}⟧/commits?page=2&after=⟦{k.sha1()}⟧>; rel="next"')])
    yield get("tree", f"/repos/octo/hello/git/trees/⟦{k.sha1()}⟧?recursive=1", {
        "sha": k.sha1(), "truncated": False, "tree": times(8, lambda: {
            "path": f"src/{k.word()}/{k.word()}.swift", "mode": "100644", "type": "blob", "size": k.number(20, 90000),
            "sha": k.sha1(), "url": f"https://api.github.com/repos/octo/hello/git/blobs/{k.sha1()}"})})
    yield get("check runs", f"/repos/octo/hello/commits/⟦{k.sha1()}⟧/check-runs", {
        "total_count": 3, "check_runs": times(3, lambda: {
            "id": k.number(10**8, 10**9), "node_id": "CR_kwDO" + k.base62(20), "head_sha": k.sha1(),
            "external_id": k.uuid4(), "started_at": k.time(), "completed_at": k.time(), "name": "secret scanning",
            "conclusion": "success", "app": {"slug": k.slug(), "id": k.number(1000, 99999), "permissions": {
                "secrets": "write", "secret_scanning_alerts": "read", "organization_secrets": "read",
                "administration": "write", "dependabot_secrets": "read", "vulnerability_alerts": "read"}}})})
    yield get("keys", "/user/keys", times(2, lambda: {
        "id": k.number(10**5, 10**8), "key": k.ssh_ed25519(), "title": f"{k.word()} laptop", "verified": True,
        "url": f"https://api.github.com/user/keys/{k.digits(7)}", "created_at": k.time(), "read_only": True})
        + [{"id": k.number(1, 9999), "key": k.ssh_rsa(), "title": "old"},
           {"id": k.number(1, 9999), "key": k.ssh_ecdsa(), "title": "card"}])
    yield get("actions secrets", "/repos/octo/hello/actions/secrets", {"total_count": 3, "secrets": [
        {"name": name, "created_at": k.time(), "updated_at": k.time()}
        for name in ("DB_PASSWORD", "NPM_TOKEN", "SLACK_WEBHOOK_URL")]})
    yield get("actions public key", "/repos/octo/hello/actions/secrets/public-key", {
        "key_id": k.digits(18), "key": k.base64(32)})
    yield get("secret scanning alerts", "/repos/octo/hello/secret-scanning/alerts", times(2, lambda: {
        "number": k.number(1, 99), "created_at": k.time(), "state": "resolved", "resolution": "revoked",
        "secret_type": k.one("github_personal_access_token", "mailchimp_api_key", "adafruit_io_key"),
        "secret_type_display_name": "GitHub Personal Access Token", "validity": "inactive",
        "url": f"https://api.github.com/repos/octo/hello/secret-scanning/alerts/{k.number(1, 99)}",
        "push_protection_bypassed": False, "publicly_leaked": False}))
    yield get("repository", "/repos/octo/hello", {
        "id": k.number(10**8, 10**9), "node_id": k.github_node("Repository"), "full_name": "octo/hello",
        "owner": github_user(k), "private": False, "html_url": "https://github.com/octo/hello",
        "keys_url": "https://api.github.com/repos/octo/hello/keys{/key_id}", "pushed_at": k.time(),
        "ssh_url": "git@github.com:octo/hello.git", "clone_url": "https://github.com/octo/hello.git",
        "license": {"key": "apache-2.0", "spdx_id": "Apache-2.0", "node_id": "MDc6TGljZW5zZTI="},
        "temp_clone_token": "", "author_association": "CONTRIBUTOR",
        "security_and_analysis": {"secret_scanning": {"status": "enabled"},
                                  "secret_scanning_push_protection": {"status": "disabled"}}}, told=limits)
    yield post("graphql", "/graphql", {
        "query": "query($cursor: String) { repository(owner: \"octo\", name: \"hello\") { issues(first: 3, after: $cursor)"
                 " { pageInfo { endCursor hasNextPage } nodes { id title } } } }",
        "variables": {"cursor": k.relay_cursor()}},
        {"data": {"repository": {"issues": {
            "pageInfo": {"startCursor": k.relay_cursor(), "endCursor": k.relay_cursor(), "hasNextPage": True},
            "edges": times(3, lambda: {"cursor": k.relay_cursor(), "node": {
                "id": "I_kwDO" + k.base62(14), "title": k.sentence(), "number": k.number(1, 9999)}})}}}})
    yield post("webhook", "/hooks/github", {
        "action": "opened", "installation": {"id": k.number(10**6, 10**8), "node_id": k.github_node("Integration")},
        "pull_request": {"id": k.number(10**8, 10**9), "node_id": "PR_kwDO" + k.base62(14), "state": "open",
                         "head": {"ref": k.slug(), "sha": k.sha1()}, "base": {"ref": "main", "sha": k.sha1()},
                         "merge_commit_sha": k.sha1(), "author_association": "MEMBER"}, "sender": github_user(k)},
        None, asked=[("X-GitHub-Delivery", k.uuid1()), ("X-GitHub-Hook-ID", k.digits(9)),
                     ("User-Agent", f"GitHub-Hookshot/{k.hex(7)}")], status="204 No Content")
    yield get("hooks", "/repos/octo/hello/hooks", [{
        "type": "Repository", "id": k.number(10**6, 10**8), "name": "web", "active": True, "events": ["push"],
        "config": {"content_type": "json", "insecure_ssl": "0", "url": "https://ci.example.org/hooks"},
        "last_response": {"code": 200, "status": "active", "message": "OK"}}])


@api
def gitlab(k):
    yield get("project", f"/api/v4/projects/⟦{k.digits(7)}⟧", {
        "id": k.number(10**5, 10**8), "path_with_namespace": "group/" + k.slug(), "default_branch": "main",
        "ssh_url_to_repo": "git@gitlab.com:group/x.git", "ci_job_token_scope_enabled": True,
        "runner_token_expiration_interval": 86400, "secret_push_protection_enabled": False,
        "ci_pipeline_variables_minimum_override_role": "maintainer", "restrict_user_defined_variables": False,
        "shared_with_groups": [], "only_allow_merge_if_pipeline_succeeds": True, "import_type": "gitlab_project",
        "auto_devops_deploy_strategy": "continuous", "service_desk_address": f"contact+{k.slug()}@gitlab.com"})
    yield get("pipelines", "/api/v4/projects/7/pipelines", times(6, lambda: {
        "id": k.number(10**6, 10**9), "iid": k.number(1, 9999), "sha": k.sha1(), "ref": k.slug(), "status": "success",
        "created_at": k.time_milliseconds(), "web_url": f"https://gitlab.com/group/x/-/pipelines/{k.digits(9)}"}),
        told=[("X-Request-Id", k.ulid()), ("X-Next-Page", "2"), ("X-Gitlab-Meta", '{"correlation_id":"%s","version":"1"}' % k.ulid())])
    yield get("tokens", "/api/v4/personal_access_tokens", times(2, lambda: {
        "id": k.number(1, 10**6), "name": f"{k.word()} token", "revoked": False, "created_at": k.time_milliseconds(),
        "scopes": ["read_api", "read_registry"], "user_id": k.number(1, 10**6), "last_used_at": k.time_milliseconds(),
        "active": True, "expires_at": "2027-03-01"}))
    yield get("application settings", "/api/v4/application/settings", {
        "id": 1, "minimum_password_length": 12, "password_authentication_enabled_for_web": True,
        "password_authentication_enabled_for_git": False, "password_number_required": True,
        "password_uppercase_required": False, "require_two_factor_authentication": False,
        "session_expire_delay": 10080, "max_personal_access_token_lifetime": 365,
        "personal_access_token_prefix": "glpat-", "rsa_key_restriction": 0, "ed25519_key_restriction": 256,
        "container_registry_token_expire_delay": 5, "two_factor_grace_period": 48})
    yield get("deploy keys", "/api/v4/deploy_keys", [{
        "id": k.number(1, 999), "title": "deploy", "key": k.ssh_rsa(), "fingerprint_sha256": k.ssh_fingerprint(),
        "fingerprint": ":".join(k.hex(2) for _ in range(16)), "can_push": False}])


@api
def bitbucket(k):
    yield get("pull requests", "/2.0/repositories/octo/hello/pullrequests", {
        "pagelen": 10, "next": f"https://api.bitbucket.org/2.0/repositories/octo/hello/pullrequests?page={k.base62(4)}",
        "values": times(3, lambda: {
            "id": k.number(1, 999), "source": {"commit": {"hash": k.hex(12)}, "branch": {"name": k.slug()}},
            "author": {"account_id": f"557058:{k.uuid4()}", "uuid": "{" + k.uuid4() + "}", "nickname": k.word()}})})
    yield get("pipeline keys", "/2.0/repositories/octo/hello/pipelines_config/ssh/key_pair", {
        "type": "pipeline_ssh_key_pair", "public_key": k.ssh_rsa() + " pipelines"})


def stripe_id(k, prefix, count=24):
    return f"{prefix}_{k.base62(count)}"


@api
def stripe(k):
    def account(name):
        return [("Request-Id", "req_" + k.base62(14)), ("Idempotency-Key", k.uuid4()), ("Stripe-Version", name),
                ("Stripe-Should-Retry", "false"), ("Original-Request", "req_" + k.base62(14))]

    def customer():
        return {
            "id": stripe_id(k, "cus", 14), "object": "customer", "created": k.epoch(), "email": f"{k.word()}@example.com",
            "invoice_prefix": k.hex(8).upper(), "default_source": None, "livemode": False, "currency": "eur",
            "invoice_settings": {"default_payment_method": stripe_id(k, "pm")}, "name": k.name(),
            "metadata": {"order": f"ACME-{k.digits(5)}", "crm_id": k.object_id()}, "tax_exempt": "none"}
    yield get("customers", "/v1/customers" + query(limit=3, starting_after=stripe_id(k, "cus", 14)), {
        "object": "list", "url": "/v1/customers", "has_more": True, "data": times(3, customer)},
        told=account("2025-09-30.clover"))
    yield post("payment intent", "/v1/payment_intents", form(
        ("amount", 2000), ("currency", "usd"), ("customer", stripe_id(k, "cus", 14)), ("confirm", "true"),
        ("payment_method", "pm_card_visa"), ("metadata[order_id]", "6735"), ("return_url", "https://example.com/done")),
        {"id": stripe_id(k, "pi"), "object": "payment_intent", "amount": 2000, "latest_charge": stripe_id(k, "ch"),
         "capture_method": "automatic", "confirmation_method": "automatic", "created": k.epoch(),
         "payment_method": stripe_id(k, "pm"), "payment_method_configuration_details": {"id": stripe_id(k, "pmc")},
         "statement_descriptor_suffix": None, "transfer_group": "ORDER-10045", "status": "succeeded"},
        asked=[("Idempotency-Key", k.uuid4())], told=account("2025-09-30.clover"))
    yield get("charge", "/v1/charges/⟦" + stripe_id(k, "ch") + "⟧", {
        "id": stripe_id(k, "ch"), "balance_transaction": stripe_id(k, "txn"), "amount": 1099,
        "authorization_code": None, "calculated_statement_descriptor": "ACME.EXAMPLE", "payment_method_details": {
            "card": {"brand": "visa", "checks": {"address_postal_code_check": "pass", "cvc_check": "pass"},
                     "country": "US", "exp_month": 8, "exp_year": 2028, "fingerprint": k.base62(16), "funding": "credit",
                     "last4": "4242", "network": "visa", "network_token": {"used": False}, "overcapture": {"maximum_amount_capturable": 1099},
                     "three_d_secure": None, "wallet": None}, "type": "card"},
        "outcome": {"network_status": "approved_by_network", "risk_score": 32, "seller_message": "Payment complete."}})
    yield get("prices", "/v1/prices?active=true", {"object": "list", "data": times(4, lambda: {
        "id": stripe_id(k, "price"), "product": stripe_id(k, "prod", 14), "lookup_key": k.slug(), "unit_amount": k.number(100, 9999),
        "recurring": {"interval": "month", "meter": stripe_id(k, "mtr_test")}})})
    yield get("events", "/v1/events", {"object": "list", "data": times(3, lambda: {
        "id": stripe_id(k, "evt"), "object": "event", "api_version": "2025-09-30.clover", "created": k.epoch(),
        "type": "invoice.payment_succeeded", "pending_webhooks": 1,
        "request": {"id": "req_" + k.base62(14), "idempotency_key": k.uuid4()},
        "data": {"object": {"id": stripe_id(k, "in"), "number": f"{k.hex(8).upper()}-0003", "subscription": stripe_id(k, "sub"),
                            "lines": {"data": [{"id": stripe_id(k, "il"), "price": stripe_id(k, "price")}]}}}})})
    yield get("webhook endpoints", "/v1/webhook_endpoints", {"data": [{
        "id": stripe_id(k, "we"), "url": "https://example.com/hooks", "enabled_events": ["charge.succeeded"], "status": "enabled"}]})
    yield get("browser config", "/config.js", text("text/javascript", (
        f'const stripe = Stripe("⟦pk_test_51{k.base62(97)}⟧");\n'
        f'window.STRIPE_ACCOUNT = "⟦{stripe_id(k, "acct", 16)}⟧";\n')))
    yield get("checkout config", "/config", {
        "publishableKey": "pk_live_51" + k.base62(97), "publishable_key": "pk_test_" + k.base62(24),
        "priceId": stripe_id(k, "price"), "accountId": stripe_id(k, "acct", 16)})
    yield get("payment methods", "/v1/payment_methods", {"data": [{
        "id": stripe_id(k, "pm"), "type": "sepa_debit", "sepa_debit": {
            "bank_code": "37040044", "country": "DE", "fingerprint": k.base62(16), "last4": "3000"}}]})


@api
def slack(k):
    def timestamp():
        return f"{k.epoch()}.{k.digits(6)}"
    yield get("channels", "/api/conversations.list" + query(cursor="dGVhbTpDMDYxRkE1UEI=", limit=4), {
        "ok": True, "channels": times(4, lambda: {
            "id": "C0" + k.upper(9), "name": k.slug(), "creator": "U0" + k.upper(9), "created": k.epoch(),
            "context_team_id": "T0" + k.upper(9), "is_private": False, "topic": {"value": k.sentence(), "last_set": 0}}),
        "response_metadata": {"next_cursor": "dGVhbTpD" + k.base64(9)}},
        told=[("X-Slack-Req-Id", k.hex(32)), ("X-Slack-Unique-Id", k.base64(20)[:27]), ("X-OAuth-Scopes", "channels:read,groups:read")])
    yield get("history", "/api/conversations.history" + query(channel="C0" + k.upper(9), oldest=timestamp()), {
        "ok": True, "messages": times(4, lambda: {
            "type": "message", "user": "U0" + k.upper(9), "text": k.sentence(), "ts": timestamp(), "thread_ts": timestamp(),
            "client_msg_id": k.uuid4(), "blocks": [{"type": "rich_text", "block_id": k.base62(5)}],
            "bot_id": "B0" + k.upper(9), "app_id": "A0" + k.upper(9), "team": "T0" + k.upper(9)}),
        "pin_count": 2, "channel_actions_ts": None})
    yield get("user", "/api/users.info" + query(user="W0" + k.upper(9)), {"ok": True, "user": {
        "id": "W0" + k.upper(9), "team_id": "T0" + k.upper(9), "real_name": k.name(), "tz": "Europe/Amsterdam", "color": k.hex(6),
        "profile": {"avatar_hash": "g" + k.hex(11), "api_app_id": "A0" + k.upper(9), "email": f"{k.word()}@example.com",
                    "image_48": f"https://secure.gravatar.com/avatar/{k.md5()}.jpg?s=48"}, "has_2fa": False, "updated": k.epoch()}})
    yield get("auth test", "/api/auth.test", {
        "ok": True, "url": "https://acme.slack.com/", "team": "Acme", "user": "bot", "team_id": "T0" + k.upper(9),
        "user_id": "U0" + k.upper(9), "bot_id": "B0" + k.upper(9), "is_enterprise_install": False})
    yield get("pins", "/api/pins.list", {"ok": True, "items": times(2, lambda: {
        "type": "message", "created": k.epoch(), "created_by": "U0" + k.upper(9), "message": {"pinned_to": ["C0" + k.upper(9)], "ts": timestamp()}})})
    yield get("error", "/api/chat.postMessage", {"ok": False, "error": "invalid_auth", "warning": "missing_charset"})


@api
def twilio(k):
    account = "AC" + k.hex(32)
    yield post("message", f"/2010-04-01/Accounts/⟦{account}⟧/Messages.json", form(
        ("To", "+15558675310"), ("MessagingServiceSid", "MG" + k.hex(32)), ("Body", "Your table is ready")), {
        "account_sid": account, "sid": "SM" + k.hex(32), "messaging_service_sid": "MG" + k.hex(32), "to": "+15558675310",
        "date_created": "Thu, 24 Aug 2023 05:01:45 +0000", "num_segments": "1", "api_version": "2010-04-01",
        "uri": f"/2010-04-01/Accounts/{account}/Messages/SM{k.hex(32)}.json",
        "subresource_uris": {"media": f"/2010-04-01/Accounts/{account}/Messages/SM{k.hex(32)}/Media.json"}},
        told=[("Twilio-Request-Id", "RQ" + k.hex(32)), ("X-Home-Region", "us1")])
    yield get("calls", f"/2010-04-01/Accounts/{account}/Calls.json" + query(PageToken="PACA" + k.hex(32), PageSize=2), {
        "next_page_uri": f"/2010-04-01/Accounts/{account}/Calls.json?PageSize=2&Page=1&PageToken=PACA{k.hex(32)}",
        "calls": times(3, lambda: {
            "sid": "CA" + k.hex(32), "account_sid": account, "phone_number_sid": "PN" + k.hex(32), "duration": "15",
            "parent_call_sid": "CA" + k.hex(32), "trunk_sid": "TK" + k.hex(32), "answered_by": "machine_start",
            "forwarded_from": "+15017122661", "price": "-0.03000", "price_unit": "USD"})})
    yield get("verify service", "/v2/Services/VA" + k.hex(32), {
        "sid": "VA" + k.hex(32), "code_length": 6, "lookup_enabled": False, "psd2_enabled": False,
        "default_template_sid": "HJ" + k.hex(32), "totp": {"issuer": "acme", "time_step": 30, "code_length": 6, "skew": 1},
        "do_not_share_warning_enabled": False, "push": {"apn_credential_sid": "CR" + k.hex(32), "include_date": False}})
    yield get("webhook", "/sms" + query(MessageSid="SM" + k.hex(32), SmsSid="SM" + k.hex(32), AccountSid=account, From="+14155552671"),
              text("application/xml", '<?xml version="1.0" encoding="UTF-8"?>\n<Response><Message>⟦Thanks, see you on Friday⟧</Message></Response>'))


def arn(k, service, rest, region="eu-central-1"):
    return f"arn:aws:{service}:{region}:{k.digits(12)}:{rest}"


def amz(k):
    return [("x-amzn-RequestId", k.uuid4()), ("X-Amzn-Trace-Id", f"Root=1-{k.hex(8)}-{k.hex(24)};Parent={k.hex(16)};Sampled=1")]


def aws_json(k, title, operation, sent, body):
    return post(title, f"/{operation.split('.')[0].lower()}/{operation.split('.')[1]}", data(sent, "application/x-amz-json-1.1"),
                data(body, "application/x-amz-json-1.1"), asked=[
        ("X-Amz-Target", operation), ("amz-sdk-invocation-id", k.uuid4()), ("amz-sdk-request", "attempt=1; max=3")], told=amz(k))


@api
def secrets_manager(k):
    def secret(name):
        return arn(k, "secretsmanager", f"secret:{name}-{k.base62(6)}")
    yield aws_json(k, "describe secret", "secretsmanager.DescribeSecret", {"SecretId": secret("prod/db")}, {
        "ARN": secret("prod/db"), "Name": "prod/db", "KmsKeyId": "alias/aws/secretsmanager", "RotationEnabled": True,
        "RotationLambdaARN": arn(k, "lambda", "function:rotate-db-password"), "RotationRules": {"AutomaticallyAfterDays": 30},
        "LastChangedDate": k.epoch() + 0.238, "VersionIdsToStages": {k.uuid4(): ["AWSCURRENT"], k.uuid4(): ["AWSPREVIOUS"]},
        "Tags": [{"Key": "team", "Value": "payments"}]})
    yield aws_json(k, "list secrets", "secretsmanager.ListSecrets", {"MaxResults": 3, "NextToken": k.base64(48)}, {
        "SecretList": [{"ARN": secret(name), "Name": name, "LastAccessedDate": k.epoch(), "Description": k.sentence(),
                        "SecretVersionsToStages": {k.uuid4(): ["AWSCURRENT"]}} for name in ("prod/api", "stage/mail", "tls/wildcard")],
        "NextToken": k.base64(48)})
    yield aws_json(k, "rotate secret", "secretsmanager.RotateSecret", {
        "SecretId": "prod/db", "ClientRequestToken": k.uuid4(), "RotateImmediately": True},
        {"ARN": secret("prod/db"), "Name": "prod/db", "VersionId": k.uuid4()})
    yield aws_json(k, "put value", "secretsmanager.PutSecretValue", {"SecretId": secret("mail"), "ClientRequestToken": k.uuid4()},
                   {"ARN": secret("mail"), "Name": "mail", "VersionId": k.uuid4(), "VersionStages": ["AWSCURRENT"]})
    yield aws_json(k, "no secret", "secretsmanager.GetSecretValue", {"SecretId": "prod/none"}, {
        "__type": "ResourceNotFoundException", "Message": "Secrets Manager can't find the specified secret."})
    yield aws_json(k, "policy", "secretsmanager.GetResourcePolicy", {"SecretId": secret("prod/db")}, {
        "ARN": secret("prod/db"), "Name": "prod/db", "ResourcePolicy":
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"secretsmanager:GetSecretValue","Resource":"%s"}]}' % secret("prod/db")})
    yield aws_json(k, "cancel rotation", "secretsmanager.CancelRotateSecret", {"SecretId": "prod/db"}, {
        "ARN": secret("prod/db"), "Name": "prod/db"})


@api
def kms(k):
    def metadata():
        key = k.uuid4()
        return {"AWSAccountId": k.digits(12), "KeyId": key, "Arn": arn(k, "kms", f"key/{key}"), "CreationDate": k.epoch() + 0.5,
                "Enabled": True, "Description": k.sentence(), "KeyUsage": "ENCRYPT_DECRYPT", "KeyState": "Enabled",
                "Origin": "AWS_KMS", "KeyManager": "CUSTOMER", "CustomerMasterKeySpec": "SYMMETRIC_DEFAULT",
                "KeySpec": "SYMMETRIC_DEFAULT", "EncryptionAlgorithms": ["SYMMETRIC_DEFAULT"], "MultiRegion": False}
    for title in ("key one", "key two"):
        yield aws_json(k, title, "TrentService.DescribeKey", {"KeyId": k.uuid4()}, {"KeyMetadata": metadata()})
    yield aws_json(k, "keys", "TrentService.ListKeys", {"Limit": 3}, {"Keys": times(3, lambda: {
        "KeyArn": arn(k, "kms", "key/" + k.uuid4()), "KeyId": k.uuid4()}), "NextMarker": k.base64url(60), "Truncated": True})
    yield aws_json(k, "aliases", "TrentService.ListAliases", {}, {"Aliases": times(2, lambda: {
        "AliasArn": arn(k, "kms", "alias/" + k.slug()), "AliasName": "alias/" + k.slug(), "TargetKeyId": k.uuid4()})})
    yield aws_json(k, "public key", "TrentService.GetPublicKey", {"KeyId": k.uuid4()}, {
        "KeyId": arn(k, "kms", "key/" + k.uuid4()), "PublicKey": k.base64(294), "CustomerMasterKeySpec": "RSA_2048",
        "KeySpec": "RSA_2048", "KeyUsage": "SIGN_VERIFY", "SigningAlgorithms": ["RSASSA_PKCS1_V1_5_SHA_256"]})
    yield aws_json(k, "rotation", "TrentService.GetKeyRotationStatus", {"KeyId": k.uuid4()}, {
        "KeyRotationEnabled": True, "RotationPeriodInDays": 365, "KeyId": k.uuid4()})


@api
def dynamodb(k):
    yield aws_json(k, "table", "DynamoDB_20120810.DescribeTable", {"TableName": "sessions"}, {"Table": {
        "TableName": "sessions", "TableArn": arn(k, "dynamodb", "table/sessions"), "TableId": k.uuid4(), "ItemCount": 17,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "SSEDescription": {"Status": "ENABLED", "KMSMasterKeyArn": arn(k, "kms", "key/" + k.uuid4())},
        "LatestStreamLabel": k.time_milliseconds()}})
    yield aws_json(k, "query", "DynamoDB_20120810.Query", {
        "TableName": "orders", "KeyConditionExpression": "#pk = :v", "ExpressionAttributeNames": {"#pk": "customerKey"},
        "ExpressionAttributeValues": {":v": {"S": k.ulid()}}, "ExclusiveStartKey": {"pk": {"S": k.ksuid()}}},
        {"Items": times(3, lambda: {"pk": {"S": "CUSTOMER#" + k.ulid()}, "sk": {"S": "ORDER#" + k.ksuid()},
                                    "customerKey": {"S": "59315"}, "primaryKey": {"S": k.uuid4()}, "total": {"N": k.digits(4)}}),
         "LastEvaluatedKey": {"pk": {"S": k.ulid()}, "sk": {"S": k.ksuid()}}, "ConsumedCapacity": {"CapacityUnits": 0.5}})
    yield aws_json(k, "transact", "DynamoDB_20120810.TransactWriteItems", {
        "ClientRequestToken": k.uuid4(), "TransactItems": [{"Delete": {"TableName": "orders", "Key": {"pk": {"S": k.ulid()}}}}]}, {})


@api
def aws_queries(k):
    yield post("caller", "/sts", form(("Action", "GetCallerIdentity"), ("Version", "2011-06-15")), text("text/xml", (
        '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">\n  <GetCallerIdentityResult>\n'
        f'    <Arn>⟦{arn(k, "iam", "user/alice", "")}⟧</Arn>\n    <UserId>⟦AIDA{k.upper(17)}⟧</UserId>\n'
        f'    <Account>⟦{k.digits(12)}⟧</Account>\n  </GetCallerIdentityResult>\n  <ResponseMetadata>\n'
        f'    <RequestId>⟦{k.uuid4()}⟧</RequestId>\n  </ResponseMetadata>\n</GetCallerIdentityResponse>\n')))
    yield post("instances", "/ec2", form(
        ("Action", "DescribeInstances"), ("NextToken", k.base64(60)), ("InstanceId.1", "i-0" + k.hex(16)), ("Version", "2016-11-15"),
        ("ClientToken", k.uuid4())),
        text("text/xml;charset=UTF-8", '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">\n' + "".join((
            f'<requestId>⟦{k.uuid4()}⟧</requestId><reservationId>⟦r-0{k.hex(16)}⟧</reservationId>'
            f'<instanceId>⟦i-0{k.hex(16)}⟧</instanceId><imageId>⟦ami-0{k.hex(16)}⟧</imageId>\n'
            f'<keyName>⟦{k.slug()}⟧</keyName><vpcId>⟦vpc-0{k.hex(16)}⟧</vpcId><subnetId>⟦subnet-0{k.hex(16)}⟧</subnetId>\n'
            f'<groupId>⟦sg-0{k.hex(16)}⟧</groupId><privateDnsName>⟦ip-10-0-0-{k.number(1, 250)}.ec2.internal⟧</privateDnsName>\n'
            f'<clientToken>⟦{k.uuid4()}⟧</clientToken><networkInterfaceId>⟦eni-0{k.hex(16)}⟧</networkInterfaceId>\n'
            f'<httpTokens>⟦required⟧</httpTokens><httpPutResponseHopLimit>⟦2⟧</httpPutResponseHopLimit>\n') for _ in range(3))
            + f'<nextToken>⟦{k.base64(60)}⟧</nextToken>\n</DescribeInstancesResponse>\n'))
    yield post("key pairs", "/ec2/keys", form(("Action", "DescribeKeyPairs")), text("text/xml;charset=UTF-8", (
        "<DescribeKeyPairsResponse><keySet>\n" + "".join(
            f"<item><keyPairId>⟦key-0{k.hex(16)}⟧</keyPairId><keyName>⟦{k.slug()}⟧</keyName>"
            f"<keyFingerprint>⟦{':'.join(k.hex(2) for _ in range(20))}⟧</keyFingerprint><keyType>⟦ed25519⟧</keyType>"
            f"<publicKey>⟦{k.ssh_ed25519()}⟧</publicKey></item>\n" for _ in range(3)) + "</keySet></DescribeKeyPairsResponse>")))
    yield post("iam users", "/iam", form(("Action", "ListUsers"), ("Marker", k.base64(40))), text("text/xml", (
        "<ListUsersResponse><ListUsersResult><Users>\n" + "".join(
            f"<member><UserId>⟦AIDA{k.upper(17)}⟧</UserId><Path>⟦/division_abc/⟧</Path><UserName>⟦{k.slug()}⟧</UserName>"
            f"<Arn>⟦{arn(k, 'iam', 'user/' + k.slug(), '')}⟧</Arn><CreateDate>⟦{k.time()}⟧</CreateDate>"
            f"<PasswordLastUsed>⟦{k.time()}⟧</PasswordLastUsed></member>\n" for _ in range(3))
        + f"</Users><Marker>⟦{k.base64(40)}⟧</Marker></ListUsersResult></ListUsersResponse>")))
    yield post("password policy", "/iam/policy", form(("Action", "GetAccountPasswordPolicy")), text("text/xml", (
        "<GetAccountPasswordPolicyResponse><GetAccountPasswordPolicyResult><PasswordPolicy>"
        "<MinimumPasswordLength>⟦14⟧</MinimumPasswordLength><PasswordReusePrevention>⟦24⟧</PasswordReusePrevention>"
        "<MaxPasswordAge>⟦90⟧</MaxPasswordAge><HardExpiry>⟦false⟧</HardExpiry>"
        "<AllowUsersToChangePassword>⟦true⟧</AllowUsersToChangePassword><ExpirePasswords>⟦true⟧</ExpirePasswords>"
        "</PasswordPolicy></GetAccountPasswordPolicyResult></GetAccountPasswordPolicyResponse>")))
    yield post("stack", "/cloudformation", form(
        ("Action", "CreateStack"), ("StackName", "web"), ("ClientRequestToken", k.uuid4()),
        ("TemplateURL", "https://s3.amazonaws.com/templates/web.yaml")), text("text/xml", (
            f"<CreateStackResponse><StackId>⟦{arn(k, 'cloudformation', 'stack/web/' + k.uuid1())}⟧</StackId></CreateStackResponse>")))
    yield post("rds", "/rds", form(("Action", "DescribeDBInstances"), ("DBInstanceIdentifier", "orders")), text("text/xml", (
        "<DBInstance><MasterUsername>⟦orders_admin⟧</MasterUsername>"
        f"<DbiResourceId>⟦db-{k.upper(26)}⟧</DbiResourceId><CACertificateIdentifier>⟦rds-ca-rsa2048-g1⟧</CACertificateIdentifier>"
        f"<KmsKeyId>⟦{arn(k, 'kms', 'key/' + k.uuid4())}⟧</KmsKeyId><MasterUserSecret><SecretStatus>⟦active⟧</SecretStatus>"
        f"<SecretArn>⟦{arn(k, 'secretsmanager', 'secret:rds!db-' + k.uuid4() + '-' + k.base62(6))}⟧</SecretArn></MasterUserSecret>"
        "<IAMDatabaseAuthenticationEnabled>⟦false⟧</IAMDatabaseAuthenticationEnabled></DBInstance>")))
    yield post("sqs", "/sqs", form(("Action", "SendMessage"), ("MessageDeduplicationId", k.uuid4()), ("MessageGroupId", "orders")),
               text("text/xml", f"<SendMessageResponse><MD5OfMessageBody>⟦{k.md5()}⟧</MD5OfMessageBody><MessageId>⟦{k.uuid4()}⟧</MessageId>"
                    f"<SequenceNumber>⟦{k.digits(20)}⟧</SequenceNumber></SendMessageResponse>"))


@api
def s3(k):
    told = [("x-amz-request-id", k.upper(16)), ("x-amz-id-2", k.base64(56)), ("ETag", f'"{k.md5()}-12"'),
            ("x-amz-version-id", k.nanoid(32).replace("-", "x")), ("Last-Modified", k.http_date()),
            ("x-amz-server-side-encryption-aws-kms-key-id", arn(k, "kms", "key/" + k.uuid4())), ("x-amz-checksum-sha256", k.base64(32)),
            ("x-amz-meta-sha1", k.sha1())]
    yield get("list", "/bucket" + query(**{"list-type": 2, "continuation-token": k.base64(48), "prefix": "photos/"}), text("application/xml", (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\n'
        f"<Name>⟦quotes⟧</Name><NextContinuationToken>⟦{k.base64(48)}⟧</NextContinuationToken><KeyCount>⟦6⟧</KeyCount>\n" + "".join(
            f"<Contents><Key>⟦{k.slug()}/{k.hex(2)}/{k.uuid4()}.jpg⟧</Key><LastModified>⟦{k.time_milliseconds()}⟧</LastModified>"
            f"<ETag>⟦&quot;{k.md5()}-{k.number(2, 90)}&quot;⟧</ETag><Size>⟦{k.digits(6)}⟧</Size><Owner><ID>⟦{k.sha256()}⟧</ID></Owner></Contents>\n"
            for _ in range(6)) + "</ListBucketResult>\n")), told=told)
    yield post("start upload", f"/bucket/⟦{k.slug()}/{k.uuid4()}.bin⟧?uploads", None, text("application/xml", (
        f"<InitiateMultipartUploadResult><Bucket>⟦quotes⟧</Bucket><Key>⟦{k.slug()}.bin⟧</Key><UploadId>⟦{k.base62(60)}.{k.base62(66)}⟧</UploadId>"
        "</InitiateMultipartUploadResult>")), told=[("x-amz-request-id", k.upper(16))])
    yield call("put", "PUT", f"/bucket/⟦{k.sha256()}⟧", text("text/plain", "⟦Hello, world⟧"), None,
               asked=[("Content-MD5", k.base64(16)), ("x-amz-content-sha256", k.sha256()), ("x-amz-checksum-crc32c", k.base64(4))],
               told=[("ETag", f'"{k.md5()}"'), ("x-amz-version-id", k.base62(32))])
    yield get("no key", "/bucket/none", text("application/xml", (
        f"<Error><Code>⟦NoSuchKey⟧</Code><Message>⟦The specified key does not exist.⟧</Message><Key>⟦photos/none.jpg⟧</Key>"
        f"<RequestId>⟦{k.upper(16)}⟧</RequestId><HostId>⟦{k.base64(56)}⟧</HostId></Error>")), status="404 Not Found")


@api
def aws_rest(k):
    yield get("lambda", "/2015-03-31/functions/⟦" + k.slug() + "⟧", {"Configuration": {
        "FunctionName": k.slug(), "FunctionArn": arn(k, "lambda", "function:" + k.slug()), "CodeSha256": k.base64(32), "RevisionId": k.uuid4(),
        "KMSKeyArn": arn(k, "kms", "key/" + k.uuid4()), "Handler": "auth.handler", "LastModified": k.time_milliseconds(), "Environment": {"Variables": {
            "SECRET_NAME": "prod/db", "SECRET_ARN": arn(k, "secretsmanager", "secret:prod/db-" + k.base62(6)), "TOKEN_TABLE": "tokens",
            "PASSWORD_MIN_LENGTH": "12", "AWS_REGION": "eu-central-1", "API_KEY_PARAMETER": "/prod/payments/api-key"}},
        "Layers": [{"Arn": arn(k, "lambda", "layer:AWS-Parameters-and-Secrets-Lambda-Extension:11"), "CodeSize": 4633}]}}, told=amz(k))
    yield aws_json(k, "ecs task", "AmazonEC2ContainerServiceV20141113.DescribeTaskDefinition", {"taskDefinition": "web:7"}, {"taskDefinition": {
        "taskDefinitionArn": arn(k, "ecs", "task-definition/web:7"), "containerDefinitions": [{
            "name": "web", "image": f"{k.digits(12)}.dkr.ecr.eu-central-1.amazonaws.com/web@sha256:{k.sha256()}",
            "repositoryCredentials": {"credentialsParameter": arn(k, "secretsmanager", "secret:registry-" + k.base62(6))},
            "secrets": [{"name": "DB_PASSWORD", "valueFrom": arn(k, "secretsmanager", f"secret:prod/db-{k.base62(6)}:password::")},
                        {"name": "API_TOKEN", "valueFrom": arn(k, "ssm", "parameter/prod/api-token")}]}]}})
    yield aws_json(k, "tasks", "AmazonEC2ContainerServiceV20141113.ListTasks", {"cluster": "main", "nextToken": k.base64(80)}, {
        "taskArns": times(5, lambda: arn(k, "ecs", "task/main/" + k.hex(32))), "nextToken": k.base64(80)})
    yield aws_json(k, "ecr", "AmazonEC2ContainerRegistry_V20150921.ListImages", {"repositoryName": "web"}, {
        "imageIds": times(5, lambda: {"imageDigest": "sha256:" + k.sha256(), "imageTag": k.hex(7)}), "nextToken": k.base64(90)})
    yield aws_json(k, "log events", "Logs_20140328.GetLogEvents", {"logGroupName": "/aws/lambda/auth", "nextToken": f"f/{k.digits(56)}/s"}, {
        "events": times(3, lambda: {"timestamp": k.epoch() * 1000, "ingestionTime": k.epoch() * 1000, "message":
                                    f"START RequestId: {k.uuid4()} Version: $LATEST"}),
        "nextForwardToken": f"f/{k.digits(56)}/s", "nextBackwardToken": f"b/{k.digits(56)}/s"})
    yield aws_json(k, "parameters", "AmazonSSM.DescribeParameters", {"MaxResults": 3}, {"Parameters": [
        {"Name": name, "Type": "SecureString", "KeyId": "alias/aws/ssm", "Version": 3, "LastModifiedUser": arn(k, "iam", "user/alice", "")}
        for name in ("/prod/db/password", "/prod/api/token", "/prod/smtp/secret")], "NextToken": k.base64(90)})
    yield aws_json(k, "user pool", "AWSCognitoIdentityProviderService.DescribeUserPool", {"UserPoolId": "eu-central-1_" + k.base62(9)}, {"UserPool": {
        "Id": "eu-central-1_" + k.base62(9), "Arn": arn(k, "cognito-idp", "userpool/eu-central-1_" + k.base62(9)), "MfaConfiguration": "OPTIONAL",
        "Policies": {"PasswordPolicy": {"MinimumLength": 8, "RequireUppercase": True, "TemporaryPasswordValidityDays": 7, "PasswordHistorySize": 3},
                     "SignInPolicy": {"AllowedFirstAuthFactors": ["PASSWORD"]}},
        "VerificationMessageTemplate": {"EmailMessage": "Your verification code is {####}.", "DefaultEmailOption": "CONFIRM_WITH_CODE"}}})
    yield aws_json(k, "user pool client", "AWSCognitoIdentityProviderService.DescribeUserPoolClient", {"ClientId": k.lower(26)}, {"UserPoolClient": {
        "ClientId": k.lower(26), "ClientName": "web", "UserPoolId": "eu-central-1_" + k.base62(9), "RefreshTokenValidity": 30, "AccessTokenValidity": 60,
        "IdTokenValidity": 60, "TokenValidityUnits": {"AccessToken": "minutes", "IdToken": "minutes", "RefreshToken": "days"},
        "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"], "EnableTokenRevocation": True, "AuthSessionValidity": 3}})
    yield aws_json(k, "batch", "AWSStepFunctions.StartExecution", {"stateMachineArn": arn(k, "states", "stateMachine:orders"), "name": k.uuid4()}, {
        "executionArn": arn(k, "states", "execution:orders:" + k.uuid4()), "startDate": k.epoch() + 0.25})
    yield get("cloudfront", "/2020-05-31/distribution/E" + k.upper(13), text("text/xml", (
        f"<Distribution><Id>⟦E{k.upper(13)}⟧</Id><DomainName>⟦d{k.lower(13)}.cloudfront.net⟧</DomainName><CallerReference>⟦{k.uuid4()}⟧</CallerReference>"
        f"<ACMCertificateArn>⟦{arn(k, 'acm', 'certificate/' + k.uuid4(), 'us-east-1')}⟧</ACMCertificateArn>"
        f"<KeyGroup>⟦{k.uuid4()}⟧</KeyGroup><TrustedKeyGroups><Enabled>⟦false⟧</Enabled></TrustedKeyGroups></Distribution>")), told=[
            ("X-Amz-Cf-Id", k.base64url(42)), ("X-Amz-Cf-Pop", "FRA56-P7"), ("Via", f"1.1 {k.hex(32)}.cloudfront.net (CloudFront)")])


@api
def google(k):
    tell = [("ETag", f'"{k.base64url(20)}"'), ("X-Goog-Generation", str(k.number(10**15, 10**16))), ("X-Goog-Hash", f"crc32c={k.base64(4)},md5={k.base64(16)}"),
            ("X-GUploader-UploadID", "AB" + k.base64url(60)), ("X-Cloud-Trace-Context", f"{k.hex(32)}/{k.digits(19)};o=1")]
    yield get("drive files", "/drive/v3/files" + query(pageToken="~!!~AI9" + k.base64url(80), pageSize=4), {
        "kind": "drive#fileList", "nextPageToken": "~!!~AI9" + k.base64url(80), "files": times(4, lambda: {
            "id": "1" + k.base64url(24), "name": k.slug() + ".pdf", "mimeType": "application/pdf", "md5Checksum": k.md5(),
            "headRevisionId": "0B" + k.base64url(36), "webViewLink": f"https://drive.google.com/file/d/1{k.base64url(24)}/view?usp=drivesdk"})})
    yield get("drive start", "/drive/v3/changes/startPageToken", {"kind": "drive#startPageToken", "startPageToken": k.digits(6)})
    yield get("calendar", "/calendar/v3/calendars/primary/events" + query(syncToken="CPDAlvWDx70CEPDAlvWDx70CGAU="), {
        "kind": "calendar#events", "etag": f'"p{k.digits(15)}"', "nextSyncToken": "CP" + k.base64(20), "items": times(3, lambda: {
            "id": k.lower(26), "iCalUID": k.lower(26) + "@google.com", "etag": f'"{k.digits(16)}"', "summary": k.sentence(),
            "htmlLink": f"https://www.google.com/calendar/event?eid={k.base64url(40)}", "sequence": 0, "hangoutLink": "https://meet.google.com/abc-defg-hij"})})
    yield get("gmail", "/gmail/v1/users/me/messages" + query(pageToken=k.digits(20)), {
        "messages": times(4, lambda: {"id": k.hex(16), "threadId": k.hex(16)}), "nextPageToken": k.digits(20), "resultSizeEstimate": 201})
    yield get("instances", "/compute/v1/projects/acme/zones/europe-west4-a/instances", {
        "id": f"projects/acme/zones/europe-west4-a/instances", "nextPageToken": "Cj" + k.base64url(40), "items": times(2, lambda: {
            "id": k.digits(19), "name": k.slug(), "fingerprint": k.base64(8), "labelFingerprint": k.base64(8), "cpuPlatform": "Intel Cascade Lake",
            "selfLink": f"https://www.googleapis.com/compute/v1/projects/acme/zones/europe-west4-a/instances/{k.slug()}",
            "metadata": {"fingerprint": k.base64(8), "items": [{"key": "enable-oslogin", "value": "TRUE"}, {"key": "ssh-keys", "value": "alice:" + k.ssh_ed25519()}]},
            "serviceAccounts": [{"email": f"{k.digits(12)}-compute@developer.gserviceaccount.com", "scopes": ["https://www.googleapis.com/auth/cloud-platform"]}]})},
        told=tell)
    yield get("secrets", "/v1/projects/⟦" + k.digits(12) + "⟧/secrets", {"secrets": [
        {"name": f"projects/{k.digits(12)}/secrets/{name}", "createTime": k.time(), "replication": {"automatic": {}}, "etag": f'"{k.hex(14)}"'}
        for name in ("db-password", "stripe-api-key", "jwt-signing-key")], "nextPageToken": k.base64(30), "totalSize": 3})
    yield get("secret versions", "/v1/projects/acme/secrets/db-password/versions", {"versions": [
        {"name": f"projects/{k.digits(12)}/secrets/db-password/versions/{number}", "state": "ENABLED", "etag": f'"{k.hex(14)}"'} for number in (1, 2, 3)]})
    yield get("cloud run", "/v2/projects/acme/locations/europe-west4/services/web", {
        "name": "projects/acme/locations/europe-west4/services/web", "uid": k.uuid4(), "etag": f'"{k.base64url(20)}"', "template": {
            "serviceAccount": "web@acme.iam.gserviceaccount.com", "containers": [{"image": f"europe-docker.pkg.dev/acme/web/web@sha256:{k.sha256()}", "env": [
                {"name": "DB_PASSWORD", "valueSource": {"secretKeyRef": {"secret": "db-password", "version": "latest"}}},
                {"name": "TOKEN_ISSUER", "value": "https://accounts.example.com"}, {"name": "SESSION_COOKIE_NAME", "value": "sid"}]}]}})
    yield get("service account keys", "/v1/projects/-/serviceAccounts/web@acme.iam.gserviceaccount.com/keys", {"keys": times(2, lambda: {
        "name": f"projects/acme/serviceAccounts/web@acme.iam.gserviceaccount.com/keys/{k.hex(40)}", "validAfterTime": k.time(),
        "keyAlgorithm": "KEY_ALG_RSA_2048", "keyOrigin": "GOOGLE_PROVIDED", "keyType": "SYSTEM_MANAGED"})})
    yield get("iam policy", "/v1/projects/acme:getIamPolicy", {"version": 3, "etag": k.base64(8), "bindings": [
        {"role": "roles/secretmanager.secretAccessor", "members": [f"serviceAccount:{k.slug()}@acme.iam.gserviceaccount.com"]},
        {"role": "roles/iam.serviceAccountTokenCreator", "members": [f"user:{k.word()}@example.com"]}]})
    yield get("certificates", "/oauth2/v1/certs", {k.hex(40): k.certificate(), k.hex(40): k.certificate()}, told=[("Cache-Control", "public, max-age=21032, must-revalidate, no-transform")])
    yield get("places", "/maps/api/place/nearbysearch/json" + query(location="52.370216,4.895168", radius=500), {
        "results": times(3, lambda: {"place_id": "ChIJ" + k.base64url(17), "reference": "ChIJ" + k.base64url(17), "photo_reference": None,
                                     "plus_code": {"global_code": "9F469VXX+" + k.upper(2)}, "geometry": {"location": {"lat": k.coordinates()[1], "lng": k.coordinates()[0]}}}),
        "next_page_token": "Aap_" + k.base64url(120)})
    yield get("sheet", "/v4/spreadsheets/⟦1" + k.base64url(32) + "⟧/values/A1:C3", {"range": "A1:C3", "majorDimension": "ROWS", "values": [
        ["Date", "Tokens", "Passengers"], ["2026-01-31", "17", "204"], ["2026-02-28", "23", "198"]]})


@api
def youtube(k):
    yield get("search", "/youtube/v3/search" + query(pageToken="CAUQAA", q="swift", part="snippet"), {
        "kind": "youtube#searchListResponse", "etag": k.base64url(20), "nextPageToken": "CAUQAA", "prevPageToken": "CAoQAQ", "regionCode": "NL",
        "items": times(5, lambda: {"kind": "youtube#searchResult", "etag": k.base64url(20), "id": {"videoId": k.base64url(8)}, "snippet": {
            "channelId": "UC" + k.base64url(16), "title": k.sentence(), "publishedAt": k.time(),
            "thumbnails": {"default": {"url": f"https://i.ytimg.com/vi/{k.base64url(8)}/default.jpg", "width": 120, "height": 90}}}})})
    yield get("comments", "/youtube/v3/commentThreads" + query(videoId=k.base64url(8)), {
        "nextPageToken": "Z2V0X25ld2VzdF9maXJzdC0t" + k.base64(60), "items": times(3, lambda: {"id": "Ugx" + k.base64url(17) + "4AaABAg", "snippet": {
            "textDisplay": "How do I reset my password?", "authorChannelId": {"value": "UC" + k.base64url(16)}, "likeCount": k.number(0, 999)}})})


@api
def firebase(k):
    yield get("documents", "/v1/projects/acme/databases/(default)/documents/users" + query(pageToken="AFTOeJ" + k.base64url(60)), {
        "documents": times(3, lambda: {"name": "projects/acme/databases/(default)/documents/users/" + k.base62(20), "createTime": k.time(), "fields": {
            "uid": {"stringValue": k.base62(28)}, "displayName": {"stringValue": k.name()}, "passwordUpdatedAt": {"timestampValue": k.time()},
            "serviceKey": {"stringValue": "search"}, "tokens": {"integerValue": "17"}}}), "nextPageToken": "AFTOeJ" + k.base64url(60)})
    yield get("realtime", "/users.json?orderBy=⟦%22$key%22⟧", {"-N" + k.base64url(14)[:18]: {"name": k.name(), "stamp": k.epoch()} for _ in range(4)})
    yield get("web app", "/v1beta1/projects/acme/webApps", {"apps": [{
        "name": f"projects/acme/webApps/1:{k.digits(12)}:web:{k.hex(22)}", "appId": f"1:{k.digits(12)}:web:{k.hex(22)}", "projectId": "acme",
        "authDomain": "acme.firebaseapp.com", "messagingSenderId": k.digits(12), "measurementId": "G-" + k.upper(10), "apiKeyId": k.uuid4()}]})
    yield post("identity", "/v1/accounts:createAuthUri", {"identifier": "a@example.com", "continueUri": "http://localhost"}, {
        "kind": "identitytoolkit#CreateAuthUriResponse", "signinMethods": ["password"], "registered": True, "allProviders": ["password", "google.com"]})
    yield get("wrong password", "/v1/accounts:signIn", {"error": {"code": 400, "message": "INVALID_PASSWORD", "errors": [
        {"message": "INVALID_PASSWORD", "domain": "global", "reason": "invalid"}]}}, status="400 Bad Request")


@api
def azure(k):
    def resource(rest):
        return f"/subscriptions/{k.uuid4()}/resourceGroups/{k.slug()}/providers/{rest}"
    tell = [("x-ms-request-id", k.uuid4()), ("x-ms-correlation-request-id", k.uuid4()), ("x-ms-client-request-id", k.uuid1()),
            ("x-ms-routing-request-id", f"WESTEUROPE:20260131T091244Z:{k.uuid4()}"), ("X-MSEdge-Ref", f"Ref A: {k.hex(32).upper()} Ref B: AMS04EDGE{k.digits(4)} Ref C: {k.time()}")]
    yield get("virtual machines", "⟦" + resource("Microsoft.Compute/virtualMachines") + "⟧?api-version=2024-07-01", {"value": times(2, lambda: {
        "id": resource("Microsoft.Compute/virtualMachines/" + k.slug()), "etag": f'W/"{k.uuid4()}"', "properties": {
            "vmId": k.uuid4(), "osProfile": {"adminUsername": "azureuser", "linuxConfiguration": {"disablePasswordAuthentication": True, "ssh": {"publicKeys": [
                {"path": "/home/azureuser/.ssh/authorized_keys", "keyData": k.ssh_rsa()}]}}}},
        "identity": {"principalId": k.uuid4(), "tenantId": k.uuid4(), "type": "SystemAssigned"}}),
        "nextLink": f"https://management.azure.com{resource('Microsoft.Compute/virtualMachines')}?api-version=2024-07-01&%24skiptoken={k.base64url(30)}"}, told=tell)
    yield get("vault secrets", "/secrets?api-version=7.4", {"value": [
        {"id": f"https://acme.vault.azure.net/secrets/{name}", "attributes": {"enabled": True, "created": k.epoch(), "updated": k.epoch(), "recoveryLevel": "Recoverable+Purgeable"},
         "contentType": "password"} for name in ("db-password", "smtp-password")],
        "nextLink": f"https://acme.vault.azure.net:443/secrets?api-version=7.4&$skiptoken={k.base64url(60)}&maxresults=2"},
        told=[("x-ms-keyvault-region", "westeurope"), ("x-ms-keyvault-network-info", "conn_type=Ipv4;addr=203.0.113.7;act_addr_fam=InterNetwork;"),
              ("x-ms-keyvault-service-version", "1.9.1652.1")])
    yield get("vault key", "/keys/CreateSoftKeyTest/⟦" + k.hex(32) + "⟧?api-version=7.4", {"key": {
        "kid": f"https://acme.vault.azure.net/keys/CreateSoftKeyTest/{k.hex(32)}", "kty": "RSA", "key_ops": ["encrypt", "verify", "wrapKey"], "n": k.base64url(256), "e": "AQAB"},
        "attributes": {"enabled": True, "created": k.epoch()}})
    yield get("vault certificate", "/certificates/web?api-version=7.4", {
        "id": f"https://acme.vault.azure.net/certificates/web/{k.hex(32)}", "kid": f"https://acme.vault.azure.net/keys/web/{k.hex(32)}",
        "sid": f"https://acme.vault.azure.net/secrets/web/{k.hex(32)}", "x5t": k.base64url(20), "cer": k.base64(700),
        "policy": {"secret_props": {"contentType": "application/x-pkcs12"}, "key_props": {"exportable": True, "kty": "RSA", "key_size": 2048, "reuse_key": False}}})
    yield get("vault unauthorized", "/secrets/db-password?api-version=7.4", {"error": {"code": "Unauthorized", "message": "AKV10000: Request is missing a Bearer or PoP token."}},
              status="401 Unauthorized", told=[("WWW-Authenticate", f'Bearer authorization="https://login.microsoftonline.com/{k.uuid4()}", resource="https://vault.azure.net"')])
    yield get("graph users", "/v1.0/users?$top=3", {
        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users", "@odata.nextLink": f"https://graph.microsoft.com/v1.0/users?$top=3&$skiptoken=RFNwdAIAAQ{k.base64url(60)}",
        "value": times(3, lambda: {"id": k.uuid4(), "displayName": k.name(), "userPrincipalName": f"{k.word()}@example.com", "passwordPolicies": "DisablePasswordExpiration",
                                   "lastPasswordChangeDateTime": k.time(), "onPremisesImmutableId": k.base64(16), "securityIdentifier": f"S-1-12-1-{k.digits(10)}-{k.digits(10)}-{k.digits(9)}-{k.digits(10)}"})})
    yield get("graph delta", "/v1.0/me/messages/delta" + query(**{"$deltatoken": k.base64url(60)}), {"@odata.deltaLink":
              f"https://graph.microsoft.com/v1.0/me/messages/delta?$deltatoken={k.base64url(60)}", "value": times(2, lambda: {
                  "id": "AAMkAG" + k.base64url(90) + "=", "changeKey": "CQAAABYAAA" + k.base64(20), "conversationId": "AAQkAG" + k.base64url(45), "internetMessageId": f"<{k.base62(20)}@example.com>"})})
    yield get("graph application", "/v1.0/applications/⟦" + k.uuid4() + "⟧", {
        "id": k.uuid4(), "appId": k.uuid4(), "publisherDomain": "example.com", "passwordCredentials": [{
            "customKeyIdentifier": None, "displayName": "build", "endDateTime": k.time(), "keyId": k.uuid4(), "secretText": None}],
        "keyCredentials": [{"customKeyIdentifier": k.sha1().upper(), "keyId": k.uuid4(), "type": "AsymmetricX509Cert", "usage": "Verify", "displayName": "CN=build"}],
        "api": {"requestedAccessTokenVersion": 2}, "optionalClaims": {"idToken": [{"name": "acct", "essential": False}], "accessToken": []}})
    yield get("blobs", "/container" + query(restype="container", comp="list", marker="2!92!" + k.base64(60)), text("application/xml", (
        '<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="https://acme.blob.core.windows.net/">\n' + "".join(
            f"<Blob><Name>⟦{k.slug()}.txt⟧</Name><Etag>⟦0x8D{k.hex(13).upper()}⟧</Etag><Content-MD5>⟦{k.base64(16)}⟧</Content-MD5><LeaseStatus>⟦unlocked⟧</LeaseStatus></Blob>\n" for _ in range(3))
        + f"<NextMarker>⟦2!92!{k.base64(60)}⟧</NextMarker></EnumerationResults>")), told=[("x-ms-request-id", k.uuid4()), ("x-ms-version", "2024-11-04")])
    yield get("cosmos", "/dbs/shop/colls/orders/docs", {"_rid": k.base64(12), "Documents": times(2, lambda: {
        "id": k.uuid4(), "partitionKey": k.slug(), "_rid": k.base64(16), "_self": f"dbs/{k.base64(3)}/", "_etag": f'"{k.uuid4()}"', "_ts": k.epoch()}), "_count": 2},
        told=[("x-ms-continuation", '{"token":"-RID:~%s==#RT:1#TRC:2#FPC:AQEAAAA","range":{"min":"","max":"FF"}}' % k.base62(14)), ("x-ms-session-token", "0:-1#12345"), ("x-ms-activity-id", k.uuid4())])


@api
def openai(k):
    tell = [("x-request-id", "req_" + k.hex(32)), ("openai-organization", "user-" + k.lower(24)), ("openai-processing-ms", "412"), ("openai-version", "2020-10-01"),
            ("x-ratelimit-limit-tokens", "150000"), ("x-ratelimit-remaining-tokens", "149984"), ("x-ratelimit-reset-tokens", "6ms"), ("CF-RAY", f"{k.hex(16)}-AMS")]
    usage = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21, "prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 4}}
    yield post("chat", "/v1/chat/completions", {
        "model": "gpt-4o-mini", "max_tokens": 512, "max_completion_tokens": 1024, "temperature": 0.2, "user": "user-" + k.lower(8),
        "messages": [{"role": "system", "content": "You explain password managers."}, {"role": "user", "content": "What is a token?"}]},
        {"id": "chatcmpl-" + k.base62(29), "object": "chat.completion", "created": k.epoch(), "model": "gpt-4o-mini-2024-07-18", "system_fingerprint": "fp_" + k.hex(10), "usage": usage,
         "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "A token is a piece of text.", "tool_calls": [
             {"id": "call_" + k.base62(24), "type": "function", "function": {"name": "lookup", "arguments": "{\"tokens\":17}"}}]},
             "logprobs": {"content": [{"token": token, "logprob": -0.31725305, "bytes": [72, 101], "top_logprobs": [{"token": other, "logprob": -1.3190403}]}
                                      for token, other in (("Hello", "Hi"), ("!", " there"), (" How", " What"), (" can", " may"), (" I", "I"), ("assistant", "user"))]}}]}, told=tell)
    yield post("responses", "/v1/responses", {"model": "gpt-5", "input": "Tell me a story", "max_output_tokens": 900, "previous_response_id": "resp_" + k.hex(50)},
               {"id": "resp_" + k.hex(50), "output": [{"type": "message", "id": "msg_" + k.hex(50), "content": [{"type": "output_text", "text": "Once upon a time."}]},
                                                     {"type": "reasoning", "id": "rs_" + k.hex(50), "summary": []}],
                "usage": {"input_tokens": 36, "output_tokens": 87, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 123}, "prompt_cache_key": "story-teller", "truncation": "disabled"}, told=tell)
    yield get("assistants", "/v1/assistants" + query(after="asst_" + k.base62(24), limit=2), {"object": "list", "first_id": "asst_" + k.base62(24), "last_id": "asst_" + k.base62(24), "data": times(2, lambda: {
        "id": "asst_" + k.base62(24), "created_at": k.epoch(), "name": "Math Tutor", "tool_resources": {"file_search": {"vector_store_ids": ["vs_" + k.base62(24)]}}})})
    yield get("runs", "/v1/threads/⟦thread_" + k.base62(24) + "⟧/runs", {"data": times(2, lambda: {
        "id": "run_" + k.base62(24), "assistant_id": "asst_" + k.base62(24), "thread_id": "thread_" + k.base62(24), "max_prompt_tokens": 20000, "max_completion_tokens": 1000, "usage": usage})})
    yield get("files", "/v1/files", {"data": times(2, lambda: {"id": "file-" + k.base62(24), "bytes": 140, "filename": "salesOverview.pdf", "purpose": "assistants"})})
    yield post("fine tuning", "/v1/fine_tuning/jobs", {"model": "gpt-4o-mini-2024-07-18", "training_file": "file-" + k.base62(24)}, {
        "id": "ftjob-" + k.base62(24), "organization_id": "org-" + k.base62(24), "trained_tokens": 5768, "fine_tuned_model": "ft:gpt-4o-mini-2024-07-18:acme::" + k.base62(8), "seed": 683058546})
    yield post("embedding", "/v1/embeddings", {"model": "text-embedding-3-small", "input": [[791, 17, 4120]], "encoding_format": "base64"},
               {"data": [{"object": "embedding", "index": 0, "embedding": k.base64(240)}], "usage": {"prompt_tokens": 5, "total_tokens": 5}})
    yield get("image", "/v1/images/generations", {"created": k.epoch(), "data": [{"b64_json": k.png()}], "usage": {"input_tokens": 50, "input_tokens_details": {"text_tokens": 10, "image_tokens": 40}}})
    yield get("stream", "/v1/chat/completions/stream", text("text/event-stream", "".join(
        'data: {"id":"chatcmpl-⟦%s⟧","object":"chat.completion.chunk","created":⟦%d⟧,"system_fingerprint":"⟦fp_%s⟧","choices":[{"delta":{"content":"⟦%s⟧"}}]}\n\n' % (k.base62(29), k.epoch(), k.hex(10), word)
        for word in ("The", " password", " token", " is", " hidden")) + "data: [DONE]\n\n"))
    yield get("bad key", "/v1/models", {"error": {"message": "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
                                                "type": "invalid_request_error", "param": None, "code": "invalid_api_key"}}, status="401 Unauthorized")
    yield get("tokenizers", "/tokenizers", {"models": [{"model": "gpt-4", "tokenizer": "cl100k_base", "context_window": 128000, "max_tokens": 4096, "tokens_per_message": 3, "tokens_per_name": 1},
                                                      {"model": "gpt-4o", "tokenizer": "o200k_base", "vocab_size": 200019, "special_tokens": ["<|endoftext|>", "<|im_start|>"]}]})


@api
def anthropic(k):
    tell = [("request-id", "req_01" + k.base62(22)), ("anthropic-ratelimit-tokens-remaining", "40000"), ("anthropic-ratelimit-input-tokens-reset", k.time()), ("anthropic-organization-id", k.uuid4())]
    yield post("message", "/v1/messages", {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": [{"role": "user", "content": "Rotate my token"}],
                                          "thinking": {"type": "enabled", "budget_tokens": 10000}, "tools": [{"name": "get_weather", "input_schema": {"type": "object"}}]},
               {"id": "msg_01" + k.base62(22), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929", "stop_reason": "tool_use", "stop_sequence": None, "content": [
                   {"type": "text", "text": "Let me check."}, {"type": "tool_use", "id": "toolu_01" + k.base62(22), "name": "get_weather", "input": {"location": "Amsterdam"}}],
                "usage": {"input_tokens": 472, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 1800, "output_tokens": 89, "service_tier": "standard"}},
               asked=[("anthropic-version", "2023-06-01"), ("anthropic-beta", "token-counting-2024-11-01")], told=tell)
    yield post("count", "/v1/messages/count_tokens", {"model": "claude-sonnet-4-5", "messages": []}, {"input_tokens": 14}, told=tell)
    yield get("batches", "/v1/messages/batches", {"data": times(2, lambda: {"id": "msgbatch_01" + k.base62(22), "processing_status": "ended", "created_at": k.time(),
                                                                         "results_url": f"https://api.anthropic.com/v1/messages/batches/msgbatch_01{k.base62(22)}/results"}), "first_id": "msgbatch_01" + k.base62(22)})
    yield get("api keys", "/v1/organizations/api_keys", {"data": times(2, lambda: {
        "id": "apikey_01" + k.base62(22), "type": "api_key", "name": "Developer Key", "status": "active", "workspace_id": "wrkspc_01" + k.base62(22), "created_by": {"id": "user_01" + k.base62(22), "type": "user"}})})


@api
def hugging_face(k):
    yield get("tokenizer config", "/gpt2/resolve/main/tokenizer_config.json", {
        "tokenizer_class": "BertTokenizer", "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]",
        "bos_token": {"__type": "AddedToken", "content": "<s>", "lstrip": False}, "eos_token": "</s>", "model_max_length": 512, "do_lower_case": True,
        "additional_special_tokens": ["<|user|>", "<|assistant|>"], "added_tokens_decoder": {"50256": {"content": "<|endoftext|>", "special": True}}, "name_or_path": "bert-base-uncased"},
        told=[("X-Repo-Commit", k.sha1()), ("ETag", f'"{k.sha256()}"'), ("X-Linked-Etag", f'"{k.sha256()}"')])
    yield get("model", "/api/models/gpt2", {"_id": k.object_id(), "id": "openai-community/gpt2", "sha": k.sha1(), "lastModified": k.time_milliseconds(), "pipeline_tag": "text-generation", "downloads": k.number(1, 10**7),
        "siblings": [{"rfilename": "tokenizer.json", "blobId": k.sha1(), "lfs": {"sha256": k.sha256(), "size": 1355256, "pointerSize": 132}}], "config": {"tokenizer_config": {"bos_token": "<|endoftext|>"}}, "gated": False})
    yield get("vocabulary", "/gpt2/resolve/main/tokenizer.json", {"version": "1.0", "model": {"type": "BPE", "vocab": {"password": 28712, "Ġtoken": 11241, "Ġsecret": 3200, "key": 2539, "auth": 18439, "ĠBearer": 44880}, "merges": ["Ġ t", "o ken"]}})
    yield post("inference", "/models/ner", {"inputs": "My name is Ada"}, [{"entity_group": "PER", "score": 0.9987, "word": "Ada", "start": 11, "end": 14}])
    yield post("tokenize", "/tokenize", {"inputs": "password reset"}, [[{"id": 5, "text": "password", "special": False, "start": 0, "stop": 8}, {"id": 6, "text": "reset", "special": False, "start": 9, "stop": 14}]])


@api
def elasticsearch(k):
    yield post("analyze", "/_analyze", {"analyzer": "standard", "text": "The quick passwords", "tokenizer": "whitespace"}, {"tokens": [
        {"token": word, "start_offset": at, "end_offset": at + len(word), "type": "<ALPHANUM>", "position": at} for at, word in enumerate(("quick", "brown-foxes", "jumped", "over", "lazy", "dogs", "passwords", "2026"))]})
    yield post("search", "/orders/_search" + query(scroll="1m"), {"query": {"match_all": {}}, "sort": [{"created": "asc"}]}, {
        "took": 3, "_shards": {"total": 5, "successful": 5}, "hits": {"total": {"value": 3, "relation": "eq"}, "hits": times(4, lambda: {
            "_index": "orders", "_id": k.base64url(15), "_score": 1.0, "_source": {"customerKey": k.digits(5), "accountKey": f"ACME-{k.digits(4)}", "sku": k.upper(8)}, "sort": [k.epoch() * 1000, k.base64url(15)]})}})
    yield get("index", "/orders", {"orders": {"aliases": {}, "mappings": {"properties": {"password": {"type": "keyword", "index": False}, "token": {"type": "text"}, "secret": {"type": "binary"}, "api_key": {"type": "keyword"}}},
                                             "settings": {"index": {"uuid": k.base64url(16), "creation_date": k.digits(13), "provided_name": "orders", "analysis": {
                                                 "analyzer": {"email": {"tokenizer": "uax_url_email", "filter": ["lowercase"]}, "path": {"tokenizer": "path_hierarchy"}}, "tokenizer": {"grams": {"type": "ngram", "token_chars": ["letter"]}}}}}}})
    yield get("cluster", "/", {"name": "node-1", "cluster_uuid": k.base64url(16), "version": {"number": "8.15.0", "build_hash": k.sha1(), "lucene_version": "9.11.1"}, "tagline": "You Know, for Search"},
              told=[("X-Elastic-Product", "Elasticsearch")])
    yield get("security", "/_security/_authenticate", {"username": "rdeniro", "roles": ["admin"], "authentication_realm": {"name": "file", "type": "file"}, "lookup_realm": {"name": "file", "type": "file"}, "authentication_type": "realm"})
    yield get("api keys", "/_security/api_key", {"api_keys": times(2, lambda: {"id": k.base64url(15), "name": k.slug(), "creation": k.epoch() * 1000, "invalidated": False, "username": "rdeniro", "realm": "native1"})})
