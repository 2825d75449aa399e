"""A second stranger's list, written when the first one passed: its entries join those of `strange_secrets`."""

from strange_secrets import F, H, J, T, X, Y, multipart, part, put, typed


# Header fields and cookies: name, source, shape, request line, the field that carries it.
for _name, _source, _shape, _line, _field in [
    ("docker-x-registry-auth", "https://docs.docker.com/reference/api/engine/#authentication", "dckr_pat_%u27", "POST /images/create?fromImage=a", "X-Registry-Auth: «{\"username\":\"bob\",\"password\":\"$\"}|b64url»"),
    ("docker-x-registry-config", "https://docs.docker.com/reference/api/engine/#operation/ImageBuild", "%p16", "POST /build?t=app", "X-Registry-Config: «{\"https://index.docker.io/v1/\":{\"username\":\"bob\",\"password\":\"$\"}}|b64url»"),
    ("fcm-legacy-key", "https://firebase.google.com/docs/cloud-messaging/http-server-ref", "AAAA%u7:APA91b%u134", "POST /fcm/send", "Authorization: key=«$»"),
    ("aws-sso-bearer", "https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/", "aoaAAAAA%u220", "GET /federation/credentials?role_name=a", "x-amz-sso_bearer_token: «$»"),
    ("sigv4-header", "https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html", "%x64", "GET /bucket/sigv4", "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261123/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=«$»"),
    ("eks-bearer", "https://docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html", "%x64", "GET /api/v1/nodes", "Authorization: Bearer k8s-aws-v1.«https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity&X-Amz-Signature=$|b64url»"),
    ("lnd-macaroon", "https://lightning.engineering/api-docs/api/lnd/", "0201036c6e64%x220", "GET /v1/balance/channels", "Grpc-Metadata-Macaroon: «$»"),
    ("paseto-header", "https://github.com/paseto-standard/paseto-spec", "v4.local.%u120", "GET /paseto", "X-Session: «$»"),
    ("supabase-cookie", "https://supabase.com/docs/guides/auth/server-side", "%u30", "GET /dash", "Cookie: sb-abcdefghijkl-auth-token=base64-«{\"access_token\":\"$\",\"expires_in\":3600}|b64url»"),
    ("nextauth-cookie", "https://next-auth.js.org/configuration/options#cookies", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..%u16.%u160.%u22", "GET /next", "Cookie: theme=dark; __Secure-next-auth.session-token=«$»"),
    ("slack-d-cookie", "https://papermtn.co.uk/retrieving-and-using-slack-cookies-for-authentication/", "xoxd-%s120", "GET /api/client.boot", "Cookie: b=.abc; d=«$»; d-s=1700000000"),
    ("aspnet-cookie", "https://learn.microsoft.com/aspnet/core/security/authentication/cookie", "CfDJ8%u220", "GET /Home", "Cookie: .AspNetCore.Identity.Application=«$»"),
    ("json-cookie", "https://www.npmjs.com/package/universal-cookie", "%u36", "GET /shop", "Cookie: cart=3; auth=«{\"user\":7,\"token\":\"$\"}|url»"),
]:
    put(_name, _source, _shape, f"{_line}\n{_field}")

# Targets: name, source, shape, target.
for _name, _source, _shape, _target in [
    ("ifttt-key", "https://ifttt.com/maker_webhooks", "%u43", "/trigger/door_opened/with/key/«$»"),
    ("loggly-input", "https://docs.solarwinds.com/loggly/http/", "%x8-%x4-4%x3-9%x3-%x12", "/inputs/«$»/tag/http/"),
    ("sumologic-receiver", "https://help.sumologic.com/docs/send-data/hosted-collectors/http-source/", "ZaVnC4dhaV%u60", "/receiver/v1/http/«$»=="),
    ("home-assistant-hook", "https://www.home-assistant.io/docs/automation/trigger/#webhook-trigger", "%x64", "/api/webhook/«$»"),
    ("infura-path", "gitleaks:infura-api-token", "%x32", "/v3/«$»"),
    ("mattermost-hook", "https://developers.mattermost.com/integrate/webhooks/incoming/", "%w26", "/hooks/«$»"),
    ("firebase-rtdb-secret", "https://firebase.google.com/docs/database/rest/auth", "%s40", "/users/ann.json?print=pretty&auth=«$»"),
    ("firebase-storage-token", "https://firebase.google.com/docs/storage/web/download-files", "%x8-%x4-4%x3-8%x3-%x12", "/v0/b/app.appspot.com/o/a.png?alt=media&token=«$»"),
    ("dropbox-rlkey", "https://help.dropbox.com/share/view-only-access", "%w25", "/scl/fi/a1b2c3/plan.pdf?rlkey=«$»&dl=0"),
    ("onedrive-authkey", "https://learn.microsoft.com/onedrive/developer/rest-api/api/shares_get", "!A%u14", "/redir?resid=1231244193912!12&authkey=«$|url»"),
    ("presigned-session", "https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html", "IQoJb3JpZ2lu%b160", "/bucket/x?X-Amz-Date=20261123T000000Z&X-Amz-Security-Token=«$|url»"),
    ("federation-signin", "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_providers_enable-console-custom-url.html", "VCQgs5qZZt3Q6fn8%u220", "/federation?Action=login&Destination=https%3A%2F%2Fconsole&SigninToken=«$»"),
    ("saml-artifact", "https://docs.oasis-open.org/security/saml/v2.0/saml-bindings-2.0-os.pdf", "AAQAA%b55", "/acs/artifact?SAMLart=«$|url»"),
    ("stripe-return-url", "https://docs.stripe.com/payments/accept-a-payment", "pi_3%s23_secret_%s25", "/done?payment_intent=pi_3&payment_intent_client_secret=«$»"),
    ("google-chat-hook", "https://developers.google.com/workspace/chat/quickstart/webhooks", "%u43", "/v1/spaces/AAAA1234/messages?threadKey=1&token=«$»%3D"),
]:
    put(_name, _source, _shape, f"GET {_target}")

# JSON: name, source, shape, request line or status, body.
for _name, _source, _shape, _start, _body in [
    ("k8s-last-applied", "https://kubernetes.io/docs/reference/labels-annotations-taints/", "%p16", "200 OK", '{"kind": "Secret", "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\\"kind\\":\\"Secret\\",\\"data\\":{\\"pw\\":\\"«$|b64»\\"}}\\n"}}}'),
    ("k8s-dockerconfig", "https://kubernetes.io/docs/tasks/configure-pod-container/pull-image-private-registry/", "%p16", "200 OK", '{"kind": "Secret", "type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": "«{\"auths\":{\"r.example.com\":{\"username\":\"bob\",\"password\":\"$\"}}}|b64»"}}'),
    ("k8s-exec-args", "https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/", "%p16", "200 OK", '{"kind": "Pod", "spec": {"containers": [{"name": "db", "args": ["--user=app", "--password=«$»"]}]}}'),
    ("ec2-userdata", "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceAttribute.html", "%p16", "200 OK", '{"UserData": {"Value": "«#!/bin/bash\nexport DB_PASSWORD=$\ndocker run app\n|b64»"}}'),
    ("kinesis-data", "https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecord.html", "%p16", "POST /kinesis", '{"StreamName": "s", "PartitionKey": "1", "Data": "«{\"event\":\"login\",\"password\":\"$\"}|b64»"}'),
    ("ssm-send-command", "https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_SendCommand.html", "%p16", "POST /ssm-run", '{"DocumentName": "AWS-RunShellScript", "Parameters": {"commands": ["set -e", "mysql -uroot -p«$» -e \'SELECT 1\'"]}}'),
    ("ssm-stream-token", "https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_StartSession.html", "AAEAA%b180", "200 OK", '{"SessionId": "bob-0f1e", "TokenValue": "«$»", "StreamUrl": "wss://ssmmessages"}'),
    ("cognito-mfa", "https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_RespondToAuthChallenge.html", "%d6", "POST /cognito-mfa", '{"ChallengeName": "SMS_MFA", "ChallengeResponses": {"USERNAME": "a", "SMS_MFA_CODE": "«$»"}}'),
    ("cognito-session", "https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_InitiateAuth.html", "AYABe%u240", "200 OK", '{"ChallengeName": "SMS_MFA", "Session": "«$»", "ChallengeParameters": {}}'),
    ("iot-symmetric", "https://learn.microsoft.com/rest/api/iothub/service/devices", "%b43=", "200 OK", '{"deviceId": "d1", "authentication": {"symmetricKey": {"primaryKey": "«$»"}, "type": "sas"}}'),
    ("logicapp-callback", "https://learn.microsoft.com/rest/api/logic/workflow-triggers/list-callback-url", "%u43", "200 OK", '{"value": "https://prod-00.westus.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?api-version=2016-10-01&sp=%2Ftriggers&sv=1.0&sig=«$»"}'),
    ("azure-customdata", "https://learn.microsoft.com/azure/virtual-machines/custom-data", "%p16", "PUT /vm", '{"properties": {"osProfile": {"adminUsername": "ops", "customData": "«#cloud-config\npassword: $\nchpasswd: {expire: false}\n|b64»"}}}'),
    ("azure-function-keys", "https://learn.microsoft.com/rest/api/appservice/web-apps/list-host-keys", "%u52==", "200 OK", '{"masterKey": null, "functionKeys": {"default": "«$»"}, "systemKeys": {}}'),
    ("gce-startup", "https://cloud.google.com/compute/docs/instances/startup-scripts/linux", "%p16", "POST /compute/v1/instances", '{"name": "vm", "metadata": {"items": [{"key": "startup-script", "value": "#!/bin/sh\\nexport PGPASSWORD=«$»\\npsql -h db"}]}}'),
    ("tfc-variable", "https://developer.hashicorp.com/terraform/cloud-docs/api-docs/variables", "%b40", "POST /api/v2/vars", '{"data": {"type": "vars", "attributes": {"key": "AWS_SECRET_ACCESS_KEY", "value": "«$»", "category": "env", "sensitive": true}}}'),
    ("vault-ssh-otp", "https://developer.hashicorp.com/vault/api-docs/secret/ssh", "%x8-%x4-4%x3-b%x3-%x12", "200 OK", '{"data": {"ip": "10.1.2.3", "key": "«$»", "key_type": "otp", "port": 22, "username": "ubuntu"}}'),
    ("vault-transit-export", "https://developer.hashicorp.com/vault/api-docs/secret/transit#export-key", "%b43=", "200 OK", '{"data": {"name": "foo", "type": "aes256-gcm96", "keys": {"1": "«$»"}}}'),
    ("cloudflare-tunnel", "https://developers.cloudflare.com/api/resources/zero_trust/subresources/tunnels/", "%b43=", "200 OK", '{"success": true, "errors": [], "result": "«{\"a\":\"0f3e\",\"t\":\"6f1d\",\"s\":\"$\"}|b64»"}'),
    ("braintree-client-token", "https://developer.paypal.com/braintree/docs/guides/authorization/client-token", "%u120", "200 OK", '{"clientToken": "«{\"version\":2,\"authorizationFingerprint\":\"$\"}|b64»"}'),
    ("pagerduty-routing", "https://developer.pagerduty.com/docs/events-api-v2/trigger-events/", "%x32", "POST /v2/enqueue", '{"routing_key": "«$»", "event_action": "trigger", "payload": {"summary": "disk", "severity": "error"}}'),
    ("auth0-ticket", "https://auth0.com/docs/api/management/v2/tickets/post-password-change", "%s32", "201 Created", '{"ticket": "https://login.auth0.com/lo/reset?client_id=a&tenant=t&ticket=«$»#"}'),
    ("supabase-otp", "https://supabase.com/docs/reference/javascript/auth-admin-generatelink", "%d6", "200 OK", '{"properties": {"email_otp": "«$»", "verification_type": "magiclink"}}'),
    ("openai-key-echo", "https://platform.openai.com/docs/guides/error-codes", "sk-%s20T3BlbkFJ%s20", "401 Unauthorized", '{"error": {"message": "Incorrect API key provided: «$». You can find your API key at https://platform.openai.com/account/api-keys.", "type": "invalid_request_error", "code": "invalid_api_key"}}'),
    ("generic-key-echo", "https://github.com/outline/outline/issues/998", "%s36", "401 Unauthorized", '{"ok": false, "error": "Authorization token validation failed. Received: Bearer «$»"}'),
    ("huma-value-echo", "https://github.com/highflame-ai/zeroid/issues/191", "%u24", "422 Unprocessable Entity", '{"title": "Unprocessable Entity", "errors": [{"message": "unexpected property", "location": "body.azz", "value": {"azz": "1", "token": "«$»"}}]}'),
    ("telegram-file-url", "https://core.telegram.org/bots/api#getfile", "%d10:AA%u33", "200 OK", '{"url": "https://api.telegram.org/file/bot«$»/photos/file_1.jpg"}'),
    ("github-raw-token", "https://docs.github.com/rest/repos/contents", "AAB%W26", "200 OK", '{"name": "a.txt", "download_url": "https://raw.githubusercontent.com/o/private/main/a.txt?token=«$»"}'),
    ("gitlab-incoming-email", "https://docs.gitlab.com/ee/security/tokens/#incoming-email-token", "glimt-%w25", "200 OK", '{"service_desk_address": "incoming+group-project-4-«$»-issue@incoming.gitlab.com"}'),
    ("gmail-body", "https://developers.google.com/gmail/api/reference/rest/v1/users.messages", "%p14", "200 OK", '{"id": "18c", "payload": {"mimeType": "text/plain", "body": {"size": 60, "data": "«Hi Ann,\r\nyour temporary password is: $\r\nBye|b64url»"}}}'),
    ("sourcemap", "https://tc39.es/ecma426/", "%u40", "200 OK", '{"version": 3, "sources": ["a.ts"], "sourcesContent": ["export const client = new Api({ apiToken: \\"«$»\\" });\\n"], "mappings": "AAAA"}'),
    ("notebook-cell", "https://nbformat.readthedocs.io/", "hf_%s34", "200 OK", '{"cells": [{"cell_type": "code", "source": ["from huggingface_hub import login\\n", "login(\\"«$»\\")\\n"]}], "nbformat": 4}'),
    ("mongo-createuser", "https://www.mongodb.com/docs/manual/reference/command/createUser/", "%p14", "POST /mongo", '{"createUser": "app", "pwd": "«$»", "roles": ["readWrite"]}'),
    ("graphql-batch", "https://www.apollographql.com/docs/router/executing-operations/query-batching", "%p14", "POST /graphql-batch", '[{"operationName": "A", "query": "{ me { id } }"}, {"operationName": "SignIn", "variables": {"email": "a@example.com", "pass": "«$»"}}]'),
    ("redshift-copy", "https://docs.aws.amazon.com/redshift/latest/dg/copy-parameters-authorization.html", "%b40", "POST /redshift", '{"Sql": "COPY t FROM \'s3://b/k\' CREDENTIALS \'aws_access_key_id=AKIDEXAMPLE;aws_secret_access_key=«$»\'"}'),
    ("pg-log-statement", "https://www.postgresql.org/docs/current/runtime-config-logging.html", "%p14", "200 OK", '{"log": "2026-11-23 10:00:00 UTC [31] LOG:  statement: ALTER ROLE app PASSWORD \'«$»\';"}'),
]:
    put(_name, _source, _shape, J(_start, _body))

_CSV = typed("text/csv")
_JS = typed("application/javascript")

# Words for secrets in languages which the first list has not, in members, forms, columns and sentences.
put("word-arabic", "https://en.wiktionary.org/wiki/password", "%p14", J("200 OK", '{"المستخدم": "ليلى", "كلمة_المرور": "«$»"}'))
put("word-hindi", "https://en.wiktionary.org/wiki/password", "%p14", J("200 OK", '{"नाम": "अनु", "पासवर्ड": "«$»"}'))
put("word-thai", "https://en.wiktionary.org/wiki/password", "%p14", T("200 OK", "รหัสผ่าน: «$»\n"))
put("word-chinese-token", "https://www.feishu.cn/", "%u36", J("200 OK", '{"访问令牌": "«$»", "过期": 7200}'))
put("word-french-column", "https://www.cnil.fr/", "%p14", _CSV("200 OK", "nom;courriel;mot de passe\nLéa;lea@example.fr;«$»\n"))
put("prose-spanish", "https://www.incibe.es/", "%p14", T("200 OK", "Hola Ana:\n\nTu nueva contraseña temporal es «$» y caduca mañana.\n"))
put("prose-japanese-code", "https://www.ipa.go.jp/", "%d6", T("200 OK", "認証コード：«$»\n有効期限は10分です。\n"))
put("prose-russian", "https://gosuslugi.ru/", "%p14", T("200 OK", "Здравствуйте! Ваш пароль: «$»\nНикому его не сообщайте.\n"))
put("prose-french", "https://www.cnil.fr/", "%p14", J("200 OK", '{"sujet": "Bienvenue", "texte": "Bonjour, votre mot de passe provisoire est “«$»”. À bientôt."}'))

# Texts, markup, forms and odd places: name, source, shape, message.
for _name, _source, _shape, _message in [
    ("turnstile-secret", "https://developers.cloudflare.com/turnstile/get-started/server-side-validation/", "0x4AAAAAAA%u25", F("POST /turnstile/v0/siteverify", "secret=«$»&response=10000-aaaa&remoteip=203.0.113.7")),
    ("auth0-mfa-form", "https://auth0.com/docs/secure/multi-factor-authentication/authenticate-using-ropg-flow-with-mfa", "Fe26.2*SERVER_%s32*%u120", F("POST /oauth/mfa", "grant_type=http%3A%2F%2Fauth0.com%2Foauth%2Fgrant-type%2Fmfa-otp&mfa_token=«$|url»&otp_type=app")),
    ("cloudformation-parameter", "https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html", "%p16", F("POST /cfn", "Action=CreateStack&Parameters.member.1.ParameterKey=DBPassword&Parameters.member.1.ParameterValue=«$|url»")),
    ("slack-command-url", "https://api.slack.com/interactivity/slash-commands", "%s24", F("POST /slash", "command=%2Fdeploy&text=prod&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT0001%2F9876543210%2F«$»")),
    ("google-batch-part", "https://developers.google.com/drive/api/guides/performance#batch-requests", "ya29.%u120", "POST /batch/drive/v3\nContent-Type: multipart/mixed; boundary=zz\n\n--zz\r\nContent-Type: application/http\r\n\r\nGET /drive/v3/files/1\r\nAuthorization: Bearer «$»\r\n\r\n--zz--\r\n"),
    ("bare-access-token", "https://cloud.google.com/sdk/gcloud/reference/auth/print-access-token", "ya29.%u150", T("200 OK", "«$»\n")),
    ("bare-id-token", "https://cloud.google.com/compute/docs/instances/verifying-instance-identity", "%u342", T("200 OK", "«{\"alg\":\"RS256\",\"typ\":\"JWT\"}|b64url».«{\"aud\":\"https://a.example\"}|b64url».«$»")),
    ("location-hash-route", "https://angular.dev/guide/routing", "%x8-%x4-4%x3-b%x3-%x12", "302 Found\nLocation: https://app.example.com/#/reset-password/«$»"),
    ("location-app-scheme", "https://datatracker.ietf.org/doc/html/rfc8252", "%u43", "302 Found\nLocation: com.example.app:/oauth2redirect?state=s&code=«$»"),
    ("set-cookie-xsrf-laravel", "https://laravel.com/docs/csrf#csrf-x-xsrf-token", "%s40", "200 OK\nSet-Cookie: XSRF-TOKEN=«{\"iv\":\"AAAA\",\"value\":\"$\",\"mac\":\"00\"}|b64»; path=/"),
    ("html-data-attribute", "https://developer.mozilla.org/docs/Web/HTML/Global_attributes/data-*", "%u40", H("200 OK", '<div id="app" data-locale="de" data-api-token="«$»"></div>')),
    ("html-comment", "https://owasp.org/www-project-web-security-testing-guide/", "%p14", H("200 OK", "<body><!-- TODO remove: admin password is «$» --><h1>Hi</h1></body>")),
    ("html-initial-state", "https://redux.js.org/usage/server-rendering", "%u36", H("200 OK", '<script>window.__STATE__ = JSON.parse("{\\"session\\":{\\"user\\":1,\\"accessToken\\":\\"«$»\\"}}");</script>')),
    ("html-mail-link", "https://postmarkapp.com/transactional-email-templates", "%u40", H("200 OK", '<p>Click <a href="https://app.example.com/reset?lang=en&amp;reset_token=«$»">here</a></p>')),
    ("html-bold-password", "https://www.cpanel.net/", "%p14", H("200 OK", "<table><tr><td>Username</td><td>bob</td></tr><tr><td>Password</td><td><b>«$»</b></td></tr></table>")),
    ("js-axios-default", "https://axios-http.com/docs/config_defaults", "%u40", _JS("200 OK", "axios.defaults.headers.common['Authorization'] = 'Bearer «$»';\n")),
    ("js-localstorage", "https://developer.mozilla.org/docs/Web/API/Storage/setItem", "%u40", _JS("200 OK", "localStorage.setItem('authToken', '«$»');\n")),
    ("js-signin-call", "https://firebase.google.com/docs/auth/web/password-auth", "%p14", _JS("200 OK", "signInWithEmailAndPassword(auth, 'test@example.com', '«$»').then(done);\n")),
    ("js-sentry-dsn", "https://docs.sentry.io/concepts/key-terms/dsn-explainer/", "%x32", _JS("200 OK", 'Sentry.init({ dsn: "https://0123456789abcdef0123456789abcdef:«$»@sentry.example.com/42" });\n')),
    ("kubeadm-join", "https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/", "%w6.%w16", T("200 OK", "kubeadm join 10.0.0.1:6443 --token «$» --discovery-token-ca-cert-hash sha256:00\n")),
    ("helm-set", "https://helm.sh/docs/helm/helm_install/", "%p14", T("200 OK", "helm install db bitnami/postgresql --set auth.username=app,auth.postgresPassword=«$»\n")),
    ("docker-run-env", "https://docs.docker.com/reference/cli/docker/container/run/", "sk-ant-api03-%u93AA", T("200 OK", "docker run --rm -e ANTHROPIC_API_KEY=«$» -p 80:80 app:1\n")),
    ("git-extraheader", "https://learn.microsoft.com/azure/devops/repos/git/auth-overview", "%w52", T("200 OK", 'git -c http.extraheader="AUTHORIZATION: basic «:$|b64»" clone https://dev.azure.com/o/p/_git/r\n')),
    ("git-credential", "https://git-scm.com/docs/git-credential", "%u20", T("200 OK", "protocol=https\nhost=git.example.com\nusername=bob\npassword=«$»\n")),
    ("stripe-listen", "https://docs.stripe.com/stripe-cli", "whsec_%x64", T("200 OK", "> Ready! Your webhook signing secret is «$» (^C to quit)\n")),
    ("chpasswd", "https://man7.org/linux/man-pages/man8/chpasswd.8.html", "%p14", T("200 OK", "echo 'deploy:«$»' | chpasswd\n")),
    ("ldapsearch-w", "https://www.openldap.org/software/man.cgi?query=ldapsearch", "%p14", T("200 OK", "ldapsearch -x -D cn=admin,dc=example,dc=org -w «$» -b dc=example,dc=org\n")),
    ("net-user", "https://learn.microsoft.com/windows-server/administration/windows-commands/net-user", "%p14", T("200 OK", "net user svc_backup «$» /add /domain\r\n")),
    ("php-trace", "https://www.php.net/manual/en/exception.gettraceasstring.php", "%p13", T("500 Internal Server Error", "#0 /app/db.php(12): PDO->__construct('mysql:host=db;dbname=x', 'root', '«$»')\n#1 {main}\n")),
    ("go-struct", "https://pkg.go.dev/fmt", "%p14", T("200 OK", "level=debug config={Host:db Port:5432 User:app Password:«$» SSL:true}\n")),
    ("ruby-params-log", "https://guides.rubyonrails.org/debugging_rails_applications.html", "%p14", T("200 OK", 'Started POST "/login"\n  Parameters: {"utf8"=>"✓", "user"=>{"email"=>"a@example.com", "password"=>"«$»"}}\n')),
    ("java-tostring", "https://docs.oracle.com/en/java/javase/21/language/records.html", "%p14", T("200 OK", "INFO c.e.Login - DbConfig[url=jdbc:h2:mem, username=sa, password=«$»]\n")),
    ("access-log", "https://nginx.org/en/docs/http/ngx_http_log_module.html", "%u32", T("200 OK", '203.0.113.9 - - [23/Nov/2026:10:00:00 +0000] "GET /v1/me?access_token=«$» HTTP/1.1" 200 12 "-" "curl/8.5"\n')),
    ("yaml-alertmanager", "https://prometheus.io/docs/alerting/latest/configuration/", "%s24", Y("200 OK", "receivers:\n- name: ops\n  slack_configs:\n  - api_url: https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/«$»\n    channel: '#ops'\n")),
    ("yaml-compose-list", "https://docs.docker.com/reference/compose-file/services/", "%p14", Y("200 OK", "services:\n  db:\n    image: postgres:16\n    environment:\n      - POSTGRES_USER=app\n      - POSTGRES_PASSWORD=«$»\n")),
    ("yaml-flow", "https://yaml.org/spec/1.2.2/", "%p14", Y("200 OK", "accounts: [{login: bob, passwd: «$», uid: 7}]\n")),
    ("yaml-env-pair", "https://kubernetes.io/docs/tasks/inject-data-application/", "%p14", Y("200 OK", "containers:\n- name: web\n  env:\n  - name: SMTP_PASSWORD\n    value: \"«$»\"\n")),
    ("toml-multiline", "https://toml.io/en/v1.0.0", "%u48", "200 OK\nContent-Type: application/toml\n\n[vars]\nAPI_TOKEN = '''\n«$»'''\nREGION = \"eu\"\n"),
    ("wpa-psk", "https://w1.fi/cgit/hostap/plain/wpa_supplicant/wpa_supplicant.conf", "%p14", T("200 OK", 'network={\n  ssid="home"\n  psk="«$»"\n}\n')),
    ("ipsec-secrets", "https://docs.strongswan.org/docs/5.9/", "%p16", T("200 OK", '10.0.0.1 10.0.0.2 : PSK "«$»"\n')),
    ("filezilla", "https://filezilla-project.org/", "%p14", X("200 OK", '<Server><Host>ftp.example.com</Host><User>bob</User><Pass encoding="base64">«$|b64»</Pass></Server>')),
    ("markdown-table", "https://github.github.com/gfm/#tables-extension-", "%p14", "200 OK\nContent-Type: text/markdown\n\n| Key | Value |\n| --- | --- |\n| user | bob |\n| password | `«$»` |\n"),
    ("twitch-irc-pass", "https://dev.twitch.tv/docs/chat/irc/", "%w30", T("POST /irc", "PASS oauth:«$»\r\nNICK bot\r\nJOIN #x\r\n")),
    ("sse-text", "https://html.spec.whatwg.org/multipage/server-sent-events.html", "%u32", "200 OK\nContent-Type: text/event-stream\n\nid: 1\nevent: log\ndata: connecting with token=«$» to wss://a.example\n\n"),
    ("gzip-ndjson-log", "https://docs.docker.com/engine/logging/drivers/json-file/", "%s32", "200 OK\nContent-Type: application/x-ndjson\nContent-Encoding: gzip\n\n{\"log\": \"start\"}\n{\"log\": \"[debug] using API key «$»\\n\", \"stream\": \"stderr\"}\n"),
    ("grpc-message-trailer", "https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md", "AIza%u35", "200 OK\nContent-Type: application/grpc-web\nTransfer-Encoding: chunked\nTrailer: grpc-message\n\nhello\n~~\ngrpc-message: API key «$» is not authorized"),
    ("multipart-otp", "https://datatracker.ietf.org/doc/html/rfc7578", "%d6", multipart("POST /mfa", part('name="user_id"', "81"), part('name="otp_code"', "«$»"))),
    ("gzip-form-code", "https://datatracker.ietf.org/doc/html/rfc6749#section-4.1.3", "4/0A%u70", F("POST /gztoken", "grant_type=authorization_code&redirect_uri=https%3A%2F%2Fa.example&code=«$|url»", "Content-Encoding: gzip")),
]:
    put(_name, _source, _shape, _message)

#: Secrets that are left: nothing but the service, or the program that reads the text, tells them from ids and prose.
LEFT = {
    "loggly-input": "a UUID in a path",
    "infura-path": "32 hexadecimal digits in a path, as of any hash",
    "vault-ssh-otp": "a UUID under `key`, beside `key_type`",
    "vault-transit-export": "base64 under the number of a version",
    "cloudflare-tunnel": "base64 of JSON under `result`",
    "prose-spanish": "a sentence without a colon",
    "location-hash-route": "a UUID in the fragment of a URL",
    "html-bold-password": "a table for people",
    "js-signin-call": "the third argument of a function",
    "chpasswd": "the input of a command",
    "net-user": "the third word of a command",
    "php-trace": "an argument in a stack trace",
    "yaml-env-pair": "name and value on two lines of YAML",
    "toml-multiline": "a value that begins on the next line",
    "markdown-table": "a table for people",
}
