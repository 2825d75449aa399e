"""Sessions with clusters, package registries, identity providers and smaller services."""

from ordinary_apis import APIS, api, times
from ordinary_kinds import data, form, get, post, query, text


def metadata(k, name, **more):
    return {"name": name, "namespace": "default", "uid": k.uuid4(), "resourceVersion": k.digits(7), "creationTimestamp": k.time(), **more}


@api
def kubernetes(k):
    tell = [("Audit-Id", k.uuid4()), ("X-Kubernetes-Pf-Flowschema-Uid", k.uuid4()), ("X-Kubernetes-Pf-Prioritylevel-Uid", k.uuid4())]

    def pod():
        name = f"web-{k.lower(9)}-{k.lower(5)}"
        return {"metadata": metadata(k, name, generateName="web-", labels={"app": "web", "pod-template-hash": k.lower(9)}, annotations={
            "checksum/secret": k.sha256(), "vault.hashicorp.com/agent-inject-secret-db": "secret/data/db", "cni.projectcalico.org/containerID": k.sha256()},
            ownerReferences=[{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name[:-6], "uid": k.uuid4()}]),
            "spec": {"serviceAccountName": "web", "imagePullSecrets": [{"name": "registry-credentials"}], "automountServiceAccountToken": True,
                     "volumes": [{"name": "kube-api-access-" + k.lower(5), "projected": {"sources": [
                         {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}, {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                         {"secret": {"name": "web-tls", "items": [{"key": "tls.key", "path": "private/tls.key"}]}}]}},
                         {"name": "credentials", "secret": {"secretName": "db-credentials", "defaultMode": 420}}],
                     "containers": [{"name": "web", "image": f"ghcr.io/acme/web@sha256:{k.sha256()}", "terminationMessagePath": "/dev/termination-log", "env": [
                         {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db-credentials", "key": "password"}}},
                         {"name": "API_TOKEN", "valueFrom": {"secretKeyRef": {"name": "api-token", "key": "token", "optional": True}}},
                         {"name": "SECRET_PATH", "value": "/var/run/secrets/db"}, {"name": "PASSWORD_FILE", "value": "/run/secrets/password"}, {"name": "TOKEN_URL", "value": "https://id.example.com/token"}],
                         "envFrom": [{"secretRef": {"name": "web-secrets"}}], "volumeMounts": [
                             {"name": "kube-api-access-" + k.lower(5), "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}]}]},
            "status": {"podIP": k.ip(), "hostIP": k.ip(), "containerStatuses": [{"containerID": "containerd://" + k.sha256(), "imageID": f"ghcr.io/acme/web@sha256:{k.sha256()}"}]}}
    yield get("pods", "/api/v1/namespaces/default/pods" + query(limit=3, **{"continue": k.base64url(90)}), {
        "kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": k.digits(7), "continue": k.base64url(90), "remainingItemCount": 17}, "items": times(3, pod)}, told=tell)
    yield get("service account", "/api/v1/namespaces/default/serviceaccounts/web", {
        "metadata": metadata(k, "web"), "secrets": [{"name": "web-token-" + k.lower(5)}, {"name": "web-dockercfg-" + k.lower(5)}], "imagePullSecrets": [{"name": "web-dockercfg-" + k.lower(5)}]})
    yield get("secret names", "/api/v1/namespaces/default/secrets", {"kind": "PartialObjectMetadataList", "items": [
        {"metadata": metadata(k, name, annotations={"kubernetes.io/service-account.uid": k.uuid4()})} for name in ("web-token-" + k.lower(5), "db-credentials", "sh.helm.release.v1.web.v7")]})
    yield get("ingress", "/apis/networking.k8s.io/v1/ingresses", {"items": [{"metadata": metadata(k, "web", annotations={
        "nginx.ingress.kubernetes.io/auth-type": "basic", "nginx.ingress.kubernetes.io/auth-secret": "basic-auth", "nginx.ingress.kubernetes.io/auth-realm": "Authentication Required",
        "cert-manager.io/cluster-issuer": "letsencrypt"}), "spec": {"tls": [{"hosts": ["example.com"], "secretName": "example-com-tls"}]}}]})
    yield get("issuer", "/apis/cert-manager.io/v1/clusterissuers/letsencrypt", {"metadata": metadata(k, "letsencrypt"), "spec": {"acme": {
        "server": "https://acme-v02.api.letsencrypt.org/directory", "privateKeySecretRef": {"name": "letsencrypt-account-key"}, "solvers": [{"dns01": {"cloudflare": {
            "apiTokenSecretRef": {"name": "cloudflare-api-token", "key": "api-token"}}}}]}}, "status": {"acme": {"lastPrivateKeyHash": k.base64(32), "uri": f"https://acme-v02.api.letsencrypt.org/acme/acct/{k.digits(9)}"}}})
    yield get("external secret", "/apis/external-secrets.io/v1/externalsecrets/db", {"metadata": metadata(k, "db"), "spec": {
        "refreshInterval": "1h0m0s", "secretStoreRef": {"kind": "ClusterSecretStore", "name": "vault"}, "target": {"name": "db-credentials", "creationPolicy": "Owner"},
        "data": [{"secretKey": "api_token", "remoteRef": {"key": "secret/data/api", "property": "token"}}]},
        "status": {"syncedResourceVersion": f"2-{k.hex(32)}", "binding": {"name": "db-credentials"}}})
    yield get("events", "/api/v1/events", {"items": times(3, lambda: {"metadata": metadata(k, f"web.{k.hex(16)}"), "reason": "FailedMount",
        "message": 'MountVolume.SetUp failed for volume "credentials" : secret "db-credentials" not found', "involvedObject": {"kind": "Pod", "uid": k.uuid4(), "fieldPath": "spec.containers{web}"}})})
    yield get("webhook", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {"items": [{"metadata": metadata(k, "injector"), "webhooks": [{
        "clientConfig": {"caBundle": k.base64(700), "service": {"name": "injector", "path": "/mutate"}}, "admissionReviewVersions": ["v1"]}]}]})
    yield get("missing", "/api/v1/namespaces/default/secrets/none", {"kind": "Status", "status": "Failure", "message": 'secrets "none" is forbidden: User "alice" cannot get resource "secrets"', "reason": "Forbidden",
                                                                    "details": {"name": "none", "kind": "secrets"}, "code": 403}, status="403 Forbidden")
    yield get("manifest", "/web.yaml", text("application/yaml", (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ⟦web⟧\nspec:\n  template:\n    spec:\n      serviceAccountName: ⟦web⟧\n      automountServiceAccountToken: ⟦false⟧\n"
        "      imagePullSecrets:\n        - name: ⟦registry-credentials⟧\n      containers:\n        - name: web\n          env:\n            - name: ⟦DB_PASSWORD⟧\n              valueFrom:\n"
        "                secretKeyRef:\n                  name: ⟦db-credentials⟧\n                  key: ⟦password⟧\n            - name: ⟦TOKEN_TTL⟧\n              value: ⟦15m⟧\n      volumes:\n"
        "        - name: ⟦credentials⟧\n          secret:\n            secretName: ⟦db-credentials⟧\n        - name: ⟦token⟧\n          projected:\n            sources:\n"
        "              - serviceAccountToken:\n                  path: ⟦token⟧\n                  audience: ⟦https://vault.example.com⟧\n")))


@api
def docker(k):
    yield get("manifest", "/v2/library/alpine/manifests/latest", data({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": "sha256:" + k.sha256(), "size": 1512},
        "layers": times(5, lambda: {"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": "sha256:" + k.sha256(), "size": k.number(1000, 10**8)}),
        "annotations": {"org.opencontainers.image.revision": k.sha1()}}, "application/vnd.oci.image.manifest.v1+json", 3),
        told=[("Docker-Content-Digest", "sha256:" + k.sha256()), ("ETag", f'"sha256:{k.sha256()}"'), ("Docker-Distribution-Api-Version", "registry/2.0")])
    yield get("challenge", "/v2/", {"errors": [{"code": "UNAUTHORIZED", "message": "authentication required", "detail": None}]}, status="401 Unauthorized", told=[
        ("WWW-Authenticate", 'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/alpine:pull"')])
    yield get("containers", "/v1.47/containers/json", times(3, lambda: {
        "Id": k.sha256(), "Names": ["/" + k.slug()], "ImageID": "sha256:" + k.sha256(), "Created": k.epoch(), "Mounts": [{"Source": "/run/secrets/db_password", "Destination": "/run/secrets/db_password"}],
        "NetworkSettings": {"Networks": {"bridge": {"NetworkID": k.sha256(), "EndpointID": k.sha256(), "MacAddress": ":".join(k.hex(2) for _ in range(6))}}}}))
    yield get("inspect", "/v1.47/containers/web/json", {"Id": k.sha256(), "Config": {"Env": [
        "PATH=/usr/local/sbin:/usr/local/bin", "POSTGRES_PASSWORD_FILE=/run/secrets/db_password", "PWD=/usr/src/app", "GPG_KEY=" + k.hex(40).upper(), "TOKENIZERS_PARALLELISM=false", "AUTH_TYPE=scram-sha-256",
        f"PYTHON_SHA256={k.sha256()}", "KEYBOARD=us", "SESSION_TIMEOUT=3600"], "Labels": {"com.docker.compose.config-hash": k.sha256(), "com.docker.compose.image": "sha256:" + k.sha256()}},
        "HostConfig": {"KernelMemory": 0, "SecurityOpt": ["no-new-privileges"]}})
    yield get("services", "/v1.47/services", [{"ID": k.lower(25), "Version": {"Index": 95}, "Spec": {"Name": "web", "TaskTemplate": {"ContainerSpec": {"Secrets": times(2, lambda: {
        "File": {"Name": "db_password", "UID": "0", "GID": "0", "Mode": 292}, "SecretID": k.lower(25), "SecretName": "db_password"})}}}}])
    yield get("secrets", "/v1.47/secrets", times(2, lambda: {"ID": k.lower(25), "Version": {"Index": 17}, "CreatedAt": k.time(), "Spec": {"Name": k.one("app-dev.crt", "db_password"), "Labels": {"team": k.word()}}}))
    yield get("compose", "/compose.yaml", text("application/yaml", (
        "services:\n  db:\n    image: ⟦postgres:17⟧\n    environment:\n      POSTGRES_PASSWORD_FILE: ⟦/run/secrets/db_password⟧\n      POSTGRES_PASSWORD: ⟦${POSTGRES_PASSWORD:?not set}⟧\n"
        "      API_TOKEN: ⟦${API_TOKEN}⟧\n    secrets:\n      - ⟦db_password⟧\n      - ⟦api_token⟧\nsecrets:\n  db_password:\n    file: ⟦./db_password.txt⟧\n  api_token:\n    environment: ⟦API_TOKEN⟧\n")))


@api
def registries(k):
    def npm_version():
        version = k.version()
        return {"name": "left-pad", "version": version, "gitHead": k.sha1(), "_id": f"left-pad@{version}", "dist": {
            "integrity": k.integrity(), "shasum": k.sha1(), "tarball": f"https://registry.npmjs.org/left-pad/-/left-pad-{version}.tgz", "fileCount": 9, "unpackedSize": 9807,
            "signatures": [{"keyid": k.ssh_fingerprint(), "sig": "MEUCIQ" + k.base64(66)}]}, "_npmOperationalInternal": {"host": "s3://npm-registry-packages", "tmp": f"tmp/left-pad_{version}_{k.epoch()}_0.{k.digits(16)}"}}
    versions = times(2, npm_version)
    yield get("npm", "/left-pad", {"_id": "left-pad", "_rev": f"{k.number(10, 99)}-{k.hex(32)}", "versions": {each["version"]: each for each in versions}, "time": {each["version"]: k.time_milliseconds() for each in versions}})
    yield get("npm keys", "/-/npm/v1/keys", {"keys": [{"expires": None, "keyid": k.ssh_fingerprint(), "keytype": "ecdsa-sha2-nistp256", "scheme": "ecdsa-sha2-nistp256",
                                                     "key": k.ec_public_key().split("\n", 1)[1].rsplit("-----END", 1)[0].replace("\n", "")}]})
    yield get("package lock", "/package-lock.json", data({"lockfileVersion": 3, "packages": {f"node_modules/{k.slug()}": {
        "version": k.version(), "resolved": f"https://registry.npmjs.org/x/-/x-{k.version()}.tgz", "integrity": k.integrity(), "engines": {"node": ">=18"}} for _ in range(15)}}, indent=2))
    yield get("pypi", "/pypi/requests/json", {"info": {"name": "requests", "author": k.name(), "author_email": "me@example.org", "keywords": "auth, tokens"}, "urls": times(4, lambda: {
        "digests": {"blake2b_256": k.sha256(), "md5": k.md5(), "sha256": k.sha256()}, "md5_digest": k.md5(), "filename": f"requests-{k.version()}.tar.gz", "upload_time_iso_8601": k.time_milliseconds(),
        "url": f"https://files.pythonhosted.org/packages/{k.hex(2)}/{k.hex(2)}/{k.hex(60)}/requests.tar.gz"})}, told=[("X-PyPI-Last-Serial", k.digits(8)), ("ETag", f'"{k.base64(16)[:22]}"')])
    yield get("pypi simple", "/simple/requests/", text("text/html", "<!DOCTYPE html><html><body>\n" + "".join(
        f'<a href="https://files.pythonhosted.org/packages/{k.hex(2)}/{k.hex(60)}/requests-{k.version()}.whl#sha256=⟦{k.sha256()}⟧" data-dist-info-metadata="sha256=⟦{k.sha256()}⟧">requests.whl</a><br/>\n' for _ in range(5)) + "</body></html>"))
    yield get("requirements", "/requirements.txt", text("text/plain", "".join(
        f"{k.word()}==⟦{k.version()}⟧ \\\n    --hash=sha256:⟦{k.sha256()}⟧ \\\n    --hash=sha256:⟦{k.sha256()}⟧\n" for _ in range(6)) + "python-jose==⟦3.5.0⟧\npasslib==⟦1.7.4⟧\npyjwt==⟦2.10.1⟧\n"))
    yield get("cargo", "/se/rd/serde", text("text/plain", "".join(
        '{"name":"serde","vers":"⟦%s⟧","deps":[],"cksum":"⟦%s⟧","features":{},"yanked":false}\n' % (k.version(), k.sha256()) for _ in range(5))))
    yield get("cargo lock", "/Cargo.lock", text("application/toml", "".join(
        f'[[package]]\nname = "{k.slug()}"\nversion = "⟦{k.version()}⟧"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "⟦{k.sha256()}⟧"\n\n' for _ in range(5))))
    yield get("go sum", "/go.sum", text("text/plain", "".join(f"github.com/{k.word()}/{k.word()} v{k.version()} h1:⟦{k.base64(32)}⟧\ngolang.org/x/{k.word()} v0.0.0-20240312152122-{k.hex(12)}/go.mod h1:⟦{k.base64(32)}⟧\n" for _ in range(5))))
    yield get("go lookup", "/lookup/golang.org/x/oauth2@v0.30.0", text("text/plain", (
        f"{k.digits(8)}\ngolang.org/x/oauth2 v0.30.0 h1:⟦{k.base64(32)}⟧\n\ngo.sum database tree\n⟦{k.digits(8)}⟧\n⟦{k.base64(32)}⟧\n\n— sum.golang.org ⟦Az3gr{k.base64(66)}⟧\n")))
    yield get("maven", "/org/example/lib/maven-metadata.xml", text("application/xml", "<metadata><groupId>⟦org.example⟧</groupId><artifactId>⟦token-authenticator⟧</artifactId><versioning><release>⟦4.2.1⟧</release><lastUpdated>⟦20260131091244⟧</lastUpdated></versioning></metadata>"))
    yield get("homebrew", "/api/formula/wget.json", {"name": "wget", "bottle": {"stable": {"files": {system: {"cellar": "/opt/homebrew/Cellar", "url": f"https://ghcr.io/v2/homebrew/core/wget/blobs/sha256:{k.sha256()}", "sha256": k.sha256()}
        for system in ("arm64_sequoia", "arm64_sonoma", "x86_64_linux")}}}, "tap_git_head": k.sha1(), "ruby_source_checksum": {"sha256": k.sha256()}})
    yield get("terraform", "/v1/providers/hashicorp/aws/5.80.0/download/linux/amd64", {"shasum": k.sha256(), "filename": "terraform-provider-aws.zip", "signing_keys": {"gpg_public_keys": [{
        "key_id": k.hex(16).upper(), "ascii_armor": "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + k.base64(300) + "\n=" + k.base64(3) + "\n-----END PGP PUBLIC KEY BLOCK-----", "trust_signature": ""}]}})
    yield get("terraform lock", "/.terraform.lock.hcl", text("text/plain", 'provider "registry.terraform.io/hashicorp/random" {\n  version = "⟦3.7.1⟧"\n  hashes = [\n' + "".join(f'    "h1:⟦{k.base64(32)}⟧",\n    "zh:⟦{k.sha256()}⟧",\n' for _ in range(4)) + "  ]\n}\n"))
    yield get("terraform state", "/state", {"version": 4, "terraform_version": "1.11.0", "serial": 12, "lineage": k.uuid4(), "outputs": {"password_length": {"value": 24, "type": "number"}},
              "resources": [{"type": "aws_vpc", "instances": [{"attributes": {"id": "vpc-0" + k.hex(16), "arn": f"arn:aws:ec2:eu-central-1:{k.digits(12)}:vpc/vpc-0{k.hex(16)}", "main_route_table_id": "rtb-0" + k.hex(16)}}]}]})
    yield get("checksums", "/SHA256SUMS", text("text/plain", "".join(f"⟦{k.sha256()}⟧  {k.slug()}-{k.version()}.tar.gz\n" for _ in range(12)) + "".join(f"⟦{k.sha512()}⟧  {k.slug()}.iso\n" for _ in range(4))))
    yield get("rekor", "/api/v1/log/entries", {k.hex(80): {"body": k.base64(300), "integratedTime": k.epoch(), "logID": k.sha256(), "logIndex": k.number(1, 10**9), "verification": {
        "inclusionProof": {"hashes": times(8, k.sha256), "rootHash": k.sha256(), "treeSize": k.number(1, 10**9)}, "signedEntryTimestamp": "MEUCIQ" + k.base64(66)}}})
    yield get("authorized keys", "/alice.keys", text("text/plain", f"⟦{k.ssh_ed25519()}⟧\n⟦{k.ssh_rsa()}⟧ alice@laptop\n⟦{k.ssh_ecdsa()}⟧\n"))
    yield get("known hosts", "/known_hosts", text("text/plain", f"github.com ⟦{k.ssh_ed25519()}⟧\n|1|{k.base64(20)}|{k.base64(20)} ⟦{k.ssh_ecdsa()}⟧\n"))
    yield get("certificate", "/ca.pem", text("application/x-pem-file", f"⟦{k.certificate()}⟧⟦{k.certificate()}⟧"))
    yield get("public key", "/public.pem", text("text/plain", f"⟦{k.public_key()}⟧⟦{k.ec_public_key()}⟧"))


@api
def identity(k):
    def jwk():
        return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": k.base64url(32), "n": k.base64url(256), "e": "AQAB", "x5t": k.base64url(20), "x5t#S256": k.base64url(32), "x5c": [k.base64(700)]}
    yield get("jwks", "/.well-known/jwks.json", {"keys": [jwk(), jwk(), jwk(), {"kty": "EC", "crv": "P-256", "kid": k.uuid4(), "x": k.base64url(32), "y": k.base64url(32), "alg": "ES256", "use": "sig"},
        {"kty": "EC", "crv": "P-384", "kid": k.sha1(), "x": k.base64url(48), "y": k.base64url(48)}, {"kty": "OKP", "crv": "Ed25519", "kid": k.nanoid(), "x": k.base64url(32), "key_ops": ["verify"]}]})
    yield get("discovery", "/.well-known/openid-configuration", {
        "issuer": "https://id.example.com/", "authorization_endpoint": "https://id.example.com/authorize", "token_endpoint": "https://id.example.com/oauth/token", "jwks_uri": "https://id.example.com/jwks.json",
        "device_authorization_endpoint": "https://id.example.com/oauth/device/code", "end_session_endpoint": "https://id.example.com/logout", "check_session_iframe": "https://id.example.com/session.html",
        "introspection_endpoint": "https://id.example.com/oauth/introspect", "revocation_endpoint": "https://id.example.com/oauth/revoke",
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"], "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials", "password"],
        "response_types_supported": ["code", "id_token", "token id_token"], "id_token_signing_alg_values_supported": ["RS256", "ES256"], "code_challenge_methods_supported": ["S256", "plain"],
        "claims_supported": ["sub", "auth_time", "acr", "sid", "nonce"], "token_endpoint_auth_signing_alg_values_supported": ["RS256"], "introspection_endpoint_auth_methods_supported": ["client_secret_basic"],
        "id_token_encryption_alg_values_supported": ["RSA-OAEP"], "request_parameter_supported": True, "dpop_signing_alg_values_supported": ["ES256"], "acr_values_supported": ["urn:mace:incommon:iap:silver"]})
    yield post("oauth error", "/oauth/token", form(("grant_type", "authorization_code"), ("client_id", k.base62(32)), ("redirect_uri", "https://app.example.com/callback"), ("token_type_hint", "refresh_token"), ("scope", "openid profile")),
               {"error": "invalid_grant", "error_description": "The refresh token is invalid or expired.", "error_codes": [70008], "trace_id": k.uuid4(), "correlation_id": k.uuid4(), "timestamp": "2026-01-31 09:12:44Z"}, status="400 Bad Request",
               told=[("WWW-Authenticate", 'Bearer realm="api", error="invalid_token", error_description="The access token expired"')])
    yield get("token info", "/oauth/info", {"token_type": "bearer", "expires_in": 3600, "refresh_token_expires_in": 15897600, "scope": "read write", "not-before-policy": 0, "session_state_required": False, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
                                            "active": True, "client_id": k.base62(32), "auth_time": k.epoch(), "tokens": 17, "token_count": 3, "token_use": "access"})
    yield post("introspection", "/introspect", form(("token_type_hint", "access_token"), ("client_id", "web")), {"active": True, "scope": "openid", "client_id": "l238j323ds-23ij4", "username": "jdoe", "token_type": "Bearer", "sub": k.base62(26), "iss": "https://id.example.com/", "exp": k.epoch(), "iat": k.epoch(), "acr": "1"})
    yield get("keycloak realm", "/admin/realms/acme", {
        "id": k.uuid4(), "realm": "acme", "accessTokenLifespan": 300, "accessTokenLifespanForImplicitFlow": 900, "refreshTokenMaxReuse": 0, "ssoSessionIdleTimeout": 1800, "ssoSessionMaxLifespan": 36000, "accessCodeLifespan": 60,
        "accessCodeLifespanLogin": 1800, "actionTokenGeneratedByAdminLifespan": 43200, "oauth2DeviceCodeLifespan": 600, "passwordPolicy": "length(12) and digits(1) and notUsername(undefined)", "otpPolicyType": "totp", "otpPolicyAlgorithm": "HmacSHA1",
        "otpPolicyDigits": 6, "otpPolicyPeriod": 30, "otpSupportedApplications": ["totpAppFreeOTPName"], "webAuthnPolicyRpEntityName": "keycloak", "requiredCredentials": ["password"], "sslRequired": "external", "resetPasswordAllowed": True,
        "webAuthnPolicySignatureAlgorithms": ["ES256"], "defaultSignatureAlgorithm": "RS256", "browserSecurityHeaders": {"contentSecurityPolicy": "frame-src 'self'; object-src 'none';", "strictTransportSecurity": "max-age=31536000"},
        "attributes": {"clientSessionIdleTimeout": "0", "actionTokenGeneratedByUserLifespan.verify-email": "", "oauth2DevicePollingInterval": "5"}})
    yield get("keycloak clients", "/admin/realms/acme/clients", times(2, lambda: {
        "id": k.uuid4(), "clientId": k.slug(), "clientAuthenticatorType": "client-secret", "directAccessGrantsEnabled": False, "serviceAccountsEnabled": True, "attributes": {
            "access.token.lifespan": "300", "client.secret.creation.time": str(k.epoch()), "pkce.code.challenge.method": "S256", "backchannel.logout.session.required": "true", "token.endpoint.auth.signing.alg": "RS256", "use.refresh.tokens": "true"},
        "protocolMappers": [{"id": k.uuid4(), "name": "email", "protocolMapper": "oidc-usermodel-attribute-mapper", "config": {"id.token.claim": "true", "access.token.claim": "true", "userinfo.token.claim": "true", "claim.name": "email"}}],
        "access": {"view": True, "configure": True}}))
    yield get("keycloak keys", "/admin/realms/acme/keys", {"active": {"RS256": k.base64url(32)}, "keys": times(2, lambda: {
        "providerId": k.uuid4(), "kid": k.base64url(32), "status": "ACTIVE", "type": "RSA", "algorithm": "RS256", "publicKey": k.base64(294), "certificate": k.base64(700), "use": "SIG"})})
    yield get("keycloak credentials", "/admin/realms/acme/users/⟦" + k.uuid4() + "⟧/credentials", [{"id": k.uuid4(), "type": "password", "userLabel": "My password", "createdDate": k.epoch() * 1000,
              "credentialData": '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"version":["1.3"]}}'}])
    yield get("auth0 client", "/api/v2/clients/⟦" + k.base62(32) + "⟧", {
        "client_id": k.base62(32), "tenant": "acme", "token_endpoint_auth_method": "client_secret_post", "jwt_configuration": {"lifetime_in_seconds": 36000, "alg": "RS256", "secret_encoded": False}, "cross_origin_authentication": False,
        "refresh_token": {"rotation_type": "rotating", "expiration_type": "expiring", "leeway": 0, "token_lifetime": 2592000, "idle_token_lifetime": 1296000, "infinite_token_lifetime": False},
        "signing_keys": [{"cert": k.certificate(), "subject": "/CN=acme.eu.auth0.com", "pkcs7": k.pem("PKCS7", k.certificate_der())}], "sso_disabled": False, "grant_types": ["authorization_code", "implicit", "refresh_token", "client_credentials"]})
    yield get("auth0 users", "/api/v2/users", times(2, lambda: {"user_id": "auth0|" + k.hex(24), "identities": [{"connection": "Username-Password-Authentication", "provider": "auth0", "user_id": k.hex(24), "isSocial": False}],
                                                              "last_password_reset": k.time_milliseconds(), "logins_count": k.number(1, 99), "picture": f"https://s.gravatar.com/avatar/{k.md5()}?s=480"}))
    yield get("auth0 connection", "/api/v2/connections/con_" + k.base62(16), {"id": "con_" + k.base62(16), "strategy": "auth0", "options": {"passwordPolicy": "good", "password_complexity_options": {"min_length": 12},
              "password_history": {"size": 5, "enable": False}, "password_dictionary": {"enable": True, "dictionary": []}, "password_no_personal_info": {"enable": True}, "authentication_methods": {"password": {"enabled": True}, "passkey": {"enabled": False}}}})
    yield get("okta users", "/api/v1/users?limit=2", times(2, lambda: {"id": "00u" + k.base62(17), "status": "ACTIVE", "passwordChanged": k.time_milliseconds(), "credentials": {"password": {}, "recovery_question": {"question": "What is your pet's name?"},
              "provider": {"type": "OKTA", "name": "OKTA"}}, "_links": {"resetPassword": {"href": f"https://acme.okta.com/api/v1/users/00u{k.base62(17)}/lifecycle/reset_password", "method": "POST"}}}),
              told=[("X-Okta-Request-Id", k.base64url(20)), ("Link", f'<https://acme.okta.com/api/v1/users?after=⟦00u{k.base62(17)}⟧&limit=2>; rel="next"')])
    yield get("okta error", "/api/v1/authn", {"errorCode": "E0000004", "errorSummary": "Authentication failed", "errorLink": "E0000004", "errorId": "oae" + k.base62(22), "errorCauses": [{"errorSummary": "Password requirements were not met."}]}, status="401 Unauthorized")
    yield get("scim", "/scim/v2/Schemas", {"Resources": [{"id": "urn:ietf:params:scim:schemas:core:2.0:User", "attributes": [{"name": "password", "type": "string", "mutability": "writeOnly", "returned": "never",
              "description": "The User's cleartext password."}, {"name": "x509Certificates", "type": "complex", "subAttributes": [{"name": "value", "type": "binary"}]}]}]})
    yield get("webauthn", "/webauthn/options", {"rp": {"id": "example.com", "name": "Example"}, "userVerification": "preferred", "timeout": 60000, "allowCredentials": times(2, lambda: {"type": "public-key", "id": k.base64url(32), "transports": ["internal"]}),
              "pubKeyCredParams": [{"type": "public-key", "alg": -7}], "authenticatorSelection": {"residentKey": "required"}})
    yield get("saml metadata", "/saml/metadata", text("application/samlmetadata+xml", (
        f'<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" ID="⟦_{k.uuid4()}⟧" entityID="⟦https://sp.example.com⟧">\n<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data>'
        f"<ds:X509Certificate>⟦{k.base64(700)}⟧</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>\n<ds:DigestValue>⟦{k.base64(32)}⟧</ds:DigestValue>"
        "<md:NameIDFormat>⟦urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress⟧</md:NameIDFormat>\n<AuthnContextClassRef>⟦urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport⟧</AuthnContextClassRef></md:EntityDescriptor>")))
    yield get("vault mounts", "/v1/sys/auth", {"token/": {"accessor": "auth_token_" + k.hex(8), "type": "token", "description": "token based credentials", "uuid": k.uuid4(), "config": {"default_lease_ttl": 0, "token_type": "default-service"}},
              "userpass/": {"accessor": "auth_userpass_" + k.hex(8), "type": "userpass", "uuid": k.uuid4()}, "request_id": k.uuid4(), "lease_id": "", "lease_duration": 0, "auth": None})
    yield get("vault role", "/v1/auth/kubernetes/role/web", {"request_id": k.uuid4(), "data": {"token_policies": ["web", "default"], "token_ttl": 3600, "token_max_ttl": 14400, "token_type": "default", "token_num_uses": 0, "token_bound_cidrs": [],
              "token_explicit_max_ttl": 0, "token_period": 0, "bound_service_account_names": ["web"], "secret_id_ttl": 0, "secret_id_num_uses": 0, "bind_secret_id": True}, "wrap_info": None})
    yield get("vault secret list", "/v1/secret/metadata/?list=true", {"request_id": k.uuid4(), "data": {"keys": ["db", "api-token", "smtp-password"]}})
    yield get("vault metadata", "/v1/secret/metadata/db", {"request_id": k.uuid4(), "data": {"cas_required": False, "created_time": k.time_milliseconds(), "current_version": 3, "delete_version_after": "0s", "custom_metadata": {"owner": "team-data"}}})


@api
def shops(k):
    yield post("shopify", "/admin/api/2026-01/graphql.json", {"query": "{ products(first: 3, after: \"%s\") { edges { node { id } } } }" % k.cursor()}, {"data": {"products": {
        "edges": times(3, lambda: {"cursor": k.cursor(), "node": {"id": "gid://shopify/Product/" + k.digits(13), "handle": k.slug(), "variants": {"nodes": [{"id": "gid://shopify/ProductVariant/" + k.digits(14), "sku": k.upper(8), "barcode": "9780" + k.digits(9)}]}}}),
        "pageInfo": {"hasNextPage": True, "endCursor": k.cursor()}}}, "extensions": {"cost": {"requestedQueryCost": 7, "throttleStatus": {"currentlyAvailable": 1993, "restoreRate": 100.0}}}},
        told=[("X-Request-Id", f"{k.uuid4()}-{k.epoch()}"), ("X-ShopId", k.digits(9)), ("X-Stats-UserId", "")])
    yield get("shopify orders", "/admin/api/2026-01/orders.json" + query(page_info=k.base64url(90), limit=2), {"orders": times(2, lambda: {
        "id": k.number(10**12, 10**13), "admin_graphql_api_id": "gid://shopify/Order/" + k.digits(13), "checkout_id": k.number(10**12, 10**13), "order_number": k.number(1000, 9999), "confirmation_number": k.upper(9),
        "discount_codes": [{"code": "WELCOME10", "amount": "10.00"}], "fulfillments": [{"tracking_number": "1Z" + k.upper(16), "tracking_company": "UPS"}], "customer_locale": "de-DE", "processed_at": "2026-01-31T10:12:44+01:00"})},
        told=[("Link", f'<https://acme.myshopify.com/admin/api/2026-01/orders.json?limit=2&page_info=⟦{k.base64url(90)}⟧>; rel="next"')])
    yield get("shipments", "/shipments", {"shipments": times(4, lambda: {"trackingNumber": k.one("00340434", "JD01460000") + k.digits(12), "reference": f"NL{k.digits(2)}ORDR{k.digits(10)}", "awb": f"020-{k.digits(8)}", "sscc": "00" + k.digits(18),
              "passengers": 0, "weight": {"value": 12.4, "unit": "kg"}, "contact": {"phone": "+31 20 " + k.digits(7), "secretary": k.name(), "author": k.name()}})})
    yield get("flights", "/v2/flights", {"data": times(3, lambda: {"flightNumber": "KL" + k.digits(4), "pnrStatus": "CONFIRMED", "boardingPass": {"gate": "B17", "seat": "12A"}, "passengers": [{"passenger": k.name(), "passport": {"country": "NL", "nationality": "NL"}, "passengerKey": "MCFBRFQ-"}],
              "pass": "economy", "passType": "day", "price": {"currency": "EUR", "amount": "129.95"}, "duration": "PT2H35M", "departure": {"iataCode": "AMS", "at": k.time()}, "compass": {"heading": 271}, "serviceKey": "search", "fareKey": "0~O~~OFARE~RULE1~~0~32~~X"})})
    yield get("paypal", "/v2/checkout/orders/⟦" + k.upper(17) + "⟧", {"id": k.upper(17), "intent": "CAPTURE", "payer": {"payer_id": k.upper(13)}, "purchase_units": [{"reference_id": "default", "payments": {"captures": [{"id": k.upper(17), "custom_id": k.slug(), "seller_protection": {"status": "ELIGIBLE"}}]}}]},
              told=[("Paypal-Debug-Id", k.hex(13)), ("PayPal-Request-Id", k.uuid4())])
    yield get("square", "/v2/payments", {"payments": times(2, lambda: {"id": k.base62(22) + "GZY", "order_id": k.base62(22), "location_id": "L" + k.upper(12), "receipt_number": k.base62(4), "version": 7, "card_details": {"cvv_status": "CVV_ACCEPTED", "avs_status": "AVS_ACCEPTED", "card": {"fingerprint": "sq-1-" + k.base64url(60), "bin": "411111"}}}), "cursor": k.base62(60)})
    yield get("adyen", "/pal/payments", {"pspReference": k.upper(16), "resultCode": "Authorised", "authCode": "018473", "merchantReference": f"ORDER-{k.digits(8)}", "additionalData": {"cvcResult": "1 Matches", "avsResult": "4 AVS not supported", "authorisationMid": "1000", "acquirerReference": k.base62(11), "paymentMethod": "visa"}})
    yield get("plaid", "/item/get", {"item": {"item_id": k.base62(37), "institution_id": "ins_3", "webhook": "https://example.com/hook", "error": None, "consent_expiration_time": None}, "accounts": times(2, lambda: {"account_id": k.base62(37), "mask": "0000", "persistent_account_id": k.hex(64), "subtype": "checking"}), "request_id": k.base62(15)})


@api
def work(k):
    def notion():
        return {"object": "page", "id": k.uuid4(), "created_by": {"object": "user", "id": k.uuid4()}, "url": f"https://www.notion.so/{k.slug()}-{k.hex(32)}", "properties": {
            "Token": {"id": "%3BsQ%5E", "type": "number", "number": 17}, "Password hint": {"id": "title", "type": "title", "title": [{"plain_text": "Ask the secretary", "href": None}]}}}
    yield post("notion", "/v1/databases/⟦" + k.uuid4() + "⟧/query", {"page_size": 2, "start_cursor": k.uuid4()}, {"results": times(2, notion), "next_cursor": k.uuid4(), "has_more": True, "request_id": k.uuid4()})
    yield get("jira", "/rest/api/3/search/jql" + query(nextPageToken="Ck" + k.base64(50), jql="project=SEC"), {"nextPageToken": "Ck" + k.base64(50), "issues": times(4, lambda: {
        "id": k.digits(5), "key": f"SEC-{k.number(1, 999)}", "self": f"https://acme.atlassian.net/rest/api/3/issue/{k.digits(5)}", "fields": {"summary": "Password reset token expires too early", "project": {"key": "SEC", "projectTypeKey": "software"},
            "assignee": {"accountId": "5b" + k.hex(22), "timeZone": "Europe/Amsterdam"}, "issuetype": {"hierarchyLevel": 0}, "statuscategorychangedate": "2026-01-31T10:12:44.123+0100", "customfield_10021": "2|hzzzzj:"}})},
        told=[("X-ARequestId", k.hex(32)), ("Atl-Traceid", k.hex(32)), ("X-AACCOUNTID", "5b" + k.hex(22)), ("X-Seraph-LoginReason", "OK")])
    yield get("confluence", "/wiki/api/v2/pages" + query(cursor=k.cursor()), {"results": times(2, lambda: {"id": k.digits(8), "spaceKey": "OPS", "title": k.sentence(4), "authorId": "5b" + k.hex(22)}), "_links": {"next": "/wiki/api/v2/pages?cursor=" + k.cursor()}})
    yield get("linear", "/graphql/linear", {"data": {"issues": {"nodes": times(3, lambda: {"id": k.uuid4(), "identifier": f"ENG-{k.number(1, 9999)}", "branchName": k.slug()}), "pageInfo": {"endCursor": k.uuid4(), "hasNextPage": True}}}})
    yield get("asana", "/api/1.0/tasks" + query(offset="eyJ0eXAiOjEsImlkIjoi" + k.base64url(30)), {"data": times(3, lambda: {"gid": k.digits(16), "name": k.sentence(4), "resource_type": "task"}), "next_page": {"offset": k.cursor(), "path": "/tasks"}, "sync": k.hex(32) + ":0"})
    yield get("trello", "/1/boards/⟦" + k.object_id() + "⟧/cards", times(3, lambda: {"id": k.object_id(), "idBoard": k.object_id(), "idShort": k.number(1, 99), "shortLink": k.base62(8), "shortUrl": "https://trello.com/c/" + k.base62(8), "pos": 65535, "badges": {"fogbugz": "", "checkItems": 0}}))
    yield get("airtable", "/v0/app" + k.base62(14) + "/Tasks" + query(offset=f"itr{k.base62(14)}/rec{k.base62(14)}"), {"records": times(5, lambda: {"id": "rec" + k.base62(14), "createdTime": k.time_milliseconds(), "fields": {
        "Name": k.slug(), "Keyboard": k.one("qwerty", "azerty", "dvorak"), "Signature": f"Kind regards, {k.name()}", "Attachment": [{"id": "att" + k.base62(14), "type": "image/png"}]}}), "offset": f"itr{k.base62(14)}/rec{k.base62(14)}"})
    yield get("figma", "/v1/files/⟦" + k.base62(22) + "⟧", {"name": "Design", "version": k.digits(19), "components": {f"{k.number(1, 99)}:{k.number(1, 999)}": {"key": k.sha1(), "name": "Password field", "remote": False} for _ in range(3)}, "styles": {"1:2": {"key": k.sha1(), "name": "Token / Primary", "styleType": "FILL"}},
              "thumbnailUrl": f"https://s3-alpha.figma.com/thumbnails/{k.uuid4()}", "linkAccess": "view", "mainFileKey": k.base62(22), "designTokens": {"color.primary": {"$value": "#0b5fff", "$type": "color"}, "space.small": {"$value": "4px", "$type": "dimension"}}})
    yield get("zendesk", "/api/v2/tickets.json", {"tickets": times(2, lambda: {"id": k.number(1, 99999), "external_id": k.slug(), "subject": "I forgot my password", "via": {"channel": "web"}, "brand_id": k.number(10**10, 10**11)}), "meta": {"has_more": True, "after_cursor": k.cursor(), "before_cursor": k.cursor()},
              "links": {"next": f"https://acme.zendesk.com/api/v2/tickets.json?page%5Bafter%5D={k.base64url(40)}"}, "after_cursor": k.base64(24)})
    yield get("hubspot", "/crm/v3/objects/contacts" + query(after=k.digits(9)), {"results": times(2, lambda: {"id": k.digits(9), "properties": {"hs_object_id": k.digits(9), "hubspot_owner_id": k.digits(8), "lifecyclestage": "lead", "hs_analytics_first_url": "https://example.com/reset-password"}}), "paging": {"next": {"after": k.digits(9)}}})
    yield get("intercom", "/conversations", {"pages": {"next": {"starting_after": k.cursor(), "page": 2}}, "conversations": times(2, lambda: {"id": k.digits(15), "contacts": {"contacts": [{"id": k.object_id(), "external_id": k.uuid4()}]}, "source": {"author": {"type": "user", "id": k.object_id()}}})})
    yield get("mailchimp", "/3.0/lists/⟦" + k.hex(10) + "⟧/members", {"members": times(2, lambda: {"id": k.md5(), "unique_email_id": k.hex(10), "contact_id": k.hex(32), "web_id": k.number(10**6, 10**9), "email_client": "Apple Mail"})}, told=[("X-Request-Id", k.uuid4()), ("Link", '<https://us1.api.mailchimp.com/schema/3.0/Lists/Members/Collection.json>; rel="describedBy"')])
    yield get("mailgun", "/v3/example.com/events", {"items": times(2, lambda: {"id": k.base64url(16), "timestamp": k.epoch() + 0.12345, "message": {"headers": {"message-id": f"{k.digits(14)}.{k.upper(7)}.{k.upper(7)}@example.com", "subject": "Reset your password"}}, "delivery-status": {"tls": True, "code": 250}}), "paging": {"next": "https://api.mailgun.net/v3/example.com/events/" + k.base64url(90)}})
    yield post("sendgrid", "/v3/mail/send", {"personalizations": [{"to": [{"email": "a@example.com"}]}], "template_id": "d-" + k.hex(32), "subject": "Your password was changed", "content": [{"type": "text/plain", "value": "If it was not you, reset your password."}]}, None, status="202 Accepted", told=[("X-Message-Id", k.base64url(16))])
    yield get("sentry", "/api/0/projects/acme/web/events/", times(2, lambda: {"eventID": k.hex(32), "groupID": k.digits(10), "fingerprints": [k.md5()], "tags": [{"key": "release", "value": f"web@{k.version()}+{k.hex(7)}"}, {"key": "level", "value": "error"}, {"key": "token_state", "value": "expired"}],
              "contexts": {"trace": {"trace_id": k.hex(32), "span_id": k.hex(16), "op": "http.server"}}, "title": "TypeError: Cannot read properties of null (reading 'token')", "culprit": "src/auth/password.ts in validatePassword"}), told=[("X-Sentry-Rate-Limit-Reset", str(k.epoch())), ("Link", f'<https://sentry.io/api/0/projects/acme/web/events/?&cursor=⟦{k.epoch()}:0:1⟧>; rel="previous"')])
    yield get("datadog", "/api/v2/logs/events", {"data": times(2, lambda: {"id": "AwAAA" + k.base64url(60), "type": "log", "attributes": {"service": "auth", "tags": ["env:prod", "token_type:jwt"], "message": "Token refreshed for user 4711 in 12 ms", "attributes": {"dd": {"trace_id": k.digits(19), "span_id": k.digits(18)}}}}), "meta": {"page": {"after": k.base64url(90)}, "request_id": "pddv1ch" + k.base64url(40)}})
    yield get("pagerduty", "/incidents", {"incidents": times(2, lambda: {"id": "Q" + k.upper(13), "incident_key": k.hex(32), "service": {"id": "P" + k.upper(6), "type": "service_reference"}, "html_url": f"https://acme.pagerduty.com/incidents/Q{k.upper(13)}"})})
    yield get("rabbitmq", "/api/bindings", times(2, lambda: {"source": "orders", "vhost": "/", "destination": k.slug(), "routing_key": "order.created", "properties_key": "order.created", "arguments": {}}) + [{"password_hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ["administrator"]}])
    yield get("conference", "/api/v2/schedule", {"sessions": times(3, lambda: {"id": k.digits(6), "title": k.sentence(5), "startsAt": k.time(), "speakers": [k.uuid4()], "isPlenumSession": False, "categoryItems": [k.number(1000, 99999)], "roomId": 17}), "session": {"title": "Passkeys after passwords", "track": "Security", "room": "Auditorium"},
              "sessionFormat": "Talk", "session_type": "workshop", "sessionCount": 48, "sessionTitle": "Tokens for everyone", "sessionDurationMinutes": 45})


@api
def social(k):
    yield get("discord", "/api/v10/channels/⟦" + k.snowflake() + "⟧/messages" + query(before=k.snowflake()), times(4, lambda: {"id": k.snowflake(), "channel_id": k.snowflake(), "nonce": k.snowflake(), "pinned": False, "author": {"id": k.snowflake(), "username": k.word(), "avatar": k.md5(), "discriminator": "0"}, "mention_roles": [k.snowflake()]}), told=[("X-RateLimit-Bucket", k.hex(32))])
    yield get("twitter", "/2/tweets/search/recent" + query(next_token="b26v89c19zqg8o3fosb" + k.lower(20), query="passwords"), {"data": times(3, lambda: {"id": k.digits(19), "author_id": k.digits(10), "conversation_id": k.digits(19), "text": k.sentence()}), "meta": {"newest_id": k.digits(19), "next_token": "b26v89c19zqg8o3fosb" + k.lower(20), "previous_token": "77qp8" + k.lower(30), "result_count": 3}})
    yield get("reddit", "/r/netsec/new.json" + query(after="t3_" + k.lower(7)), {"kind": "Listing", "data": {"after": "t3_" + k.lower(7), "modhash": None, "children": times(3, lambda: {"kind": "t3", "data": {"name": "t3_" + k.lower(7), "author_fullname": "t2_" + k.lower(8), "permalink": f"/r/netsec/comments/{k.lower(7)}/{k.slug()}/", "pinned": False, "pwls": 6, "wls": 6}})}})
    yield get("mastodon", "/api/v1/timelines/public" + query(max_id=k.digits(18)), times(2, lambda: {"id": k.digits(18), "uri": f"https://mastodon.social/users/{k.word()}/statuses/{k.digits(18)}", "card": {"blurhash": "UCB6G7_3t7og" + k.base62(18)}, "account": {"id": k.digits(6), "acct": k.word()}}))
    yield get("spotify", "/v1/playlists/⟦" + k.base62(22) + "⟧/tracks", {"href": "https://api.spotify.com/v1/playlists/" + k.base62(22), "snapshot_id": k.base64(24), "items": times(3, lambda: {"track": {"id": k.base62(22), "uri": "spotify:track:" + k.base62(22), "external_ids": {"isrc": "NLA" + k.digits(9)}, "album": {"images": [{"url": "https://i.scdn.co/image/" + k.hex(40)}]}, "key": 7, "tempo": 118.211}})})
    yield get("telegram", "/updates", {"ok": True, "result": times(2, lambda: {"update_id": k.number(10**8, 10**9), "message": {"message_id": k.number(1, 9999), "photo": [{"file_id": "AgACAgIAAxkBAA" + k.base64url(50), "file_unique_id": "AQAD" + k.base64url(8), "width": 90}], "pinned_message": None}})})
    yield get("bluesky", "/xrpc/app.bsky.feed.getTimeline" + query(cursor="2026-01-31T09:12:44.123Z"), {"cursor": k.time_milliseconds(), "feed": times(2, lambda: {"post": {"uri": f"at://did:plc:{k.lower(24)}/app.bsky.feed.post/3{k.lower(12)}", "cid": "bafyrei" + k.of("abcdefghijklmnopqrstuvwxyz234567", 52), "author": {"did": "did:plc:" + k.lower(24), "handle": "ada.example.com"}}})})
    yield get("pinterest", "/v5/pins", {"items": times(2, lambda: {"id": k.digits(18), "board_id": k.digits(18), "pinId": k.digits(18), "dominant_color": "#6E7874", "is_pinned": True}), "bookmark": k.base64(60)})
    yield get("wikipedia", "/w/api.php?action=query", {"continue": {"apcontinue": "Password_strength", "continue": "-||"}, "query": {"pages": {"24304": {"pageid": 24304, "title": "Password", "revisions": [{"revid": k.number(10**8, 10**9), "sha1": k.sha1()}]}}, "tokens_needed": ["csrf"], "general": {"git-hash": k.sha1(), "case": "first-letter"}}})


@api
def chains(k):
    yield post("ethereum", "/rpc", {"jsonrpc": "2.0", "method": "eth_getTransactionByHash", "params": ["0x" + k.sha256()], "id": 1}, {"jsonrpc": "2.0", "id": 1, "result": {"hash": "0x" + k.sha256(), "blockHash": "0x" + k.sha256(), "from": "0x" + k.hex(40), "to": "0x" + k.hex(40), "input": "0xa9059cbb" + k.hex(128), "nonce": "0x1b4", "r": "0x" + k.sha256(), "s": "0x" + k.sha256(), "v": "0x1", "value": "0x0", "gasPrice": "0x3b9aca00"}})
    yield get("tokens", "/api/v2/tokens", {"items": times(3, lambda: {"address": "0x" + k.hex(40), "token": {"symbol": "USDC", "decimals": "6", "name": "USD Coin", "type": "ERC-20"}, "tokenId": k.digits(4), "token_id": k.digits(5), "tokenURI": "ipfs://Qm" + k.base62(44), "tokenAddress": "0x" + k.hex(40), "token_type": "ERC-721", "tokenName": "Bored Token", "tokenSymbol": "BTK", "tokens": k.number(1, 99)}), "next_page_params": {"contract_address_hash": "0x" + k.hex(40), "holder_count": 17}})
    yield get("bitcoin", "/api/tx/⟦" + k.sha256() + "⟧", {"txid": k.sha256(), "vin": [{"txid": k.sha256(), "prevout": {"scriptpubkey_address": "bc1q" + k.lower(38), "scriptpubkey": "0014" + k.hex(40)}, "witness": [k.hex(144), "02" + k.hex(64)]}], "status": {"block_hash": "00000000000000000002" + k.hex(44), "block_height": 871234}})
    yield post("solana", "/sol", {"jsonrpc": "2.0", "id": 1, "method": "getTokenAccountBalance", "params": [k.base62(44)]}, {"jsonrpc": "2.0", "result": {"context": {"slot": 1114}, "value": {"amount": "9864", "decimals": 2, "uiAmountString": "98.64"}, "blockhash": k.base62(44), "signature": k.base62(88)}, "id": 1})
    yield get("ipfs", "/api/v0/ls", {"Objects": [{"Hash": "Qm" + k.base62(44), "Links": times(2, lambda: {"Name": k.slug(), "Hash": "bafybei" + k.of("abcdefghijklmnopqrstuvwxyz234567", 52), "Size": k.number(1, 10**6)})}]})


@api
def stores(k):
    yield get("couchdb", "/orders/_changes" + query(since=f"{k.number(10, 999)}-g1AAAA{k.base64url(60)}"), {"results": times(3, lambda: {"seq": f"{k.number(10, 999)}-g1AAAA{k.base64url(60)}", "id": k.hex(32), "changes": [{"rev": f"{k.number(1, 9)}-{k.hex(32)}"}]}), "last_seq": f"{k.number(10, 999)}-g1AAAA{k.base64url(60)}", "pending": 0})
    yield post("mongo", "/action/find", {"dataSource": "Cluster0", "filter": {"_id": {"$oid": k.object_id()}}}, {"documents": times(4, lambda: {"_id": {"$oid": k.object_id()}, "customerKey": k.digits(5), "createdAt": {"$date": {"$numberLong": k.digits(13)}}, "requestId": k.ulid(), "traceKey": k.ksuid(), "slug": k.slug(), "publicId": k.nanoid(), "shortId": k.nanoid(10), "hash": k.md5(), "version": k.uuid7()}), "operationTime": {"$timestamp": {"t": k.epoch(), "i": 17}}})
    yield get("supabase", "/rest/v1/profiles?select=*", times(4, lambda: {"id": k.uuid4(), "created_at": "2026-01-31T09:12:44.123456+00:00", "password_changed_at": k.time(), "token_balance": k.number(1, 999), "locale": k.one("de-DE", "pt-BR", "zh-Hant-TW"), "timezone": "Asia/Kolkata", "pincode": k.digits(6)}), told=[("Content-Range", "0-3/*"), ("sb-project-ref", k.of("abcdefghijklmnopqrstuvwxyz", 20)), ("sb-request-id", k.uuid7())])
    yield get("kafka", "/topics/orders/partitions", {"cluster_id": k.base64url(16), "data": times(2, lambda: {"partition_id": 0, "key": {"type": "STRING", "size": 12}, "offset": k.number(1, 9999)}), "key.deserializer": "org.apache.kafka.common.serialization.StringDeserializer", "sasl.mechanism": "SCRAM-SHA-512", "security.protocol": "SASL_SSL", "ssl.keystore.location": "/etc/kafka/secrets/kafka.keystore.jks", "ssl.key.password.file": "/etc/kafka/secrets/key-password"})
    yield get("actuator", "/actuator/env", {"propertySources": [{"name": "applicationConfig", "properties": {"spring.datasource.password": {"value": "******"}, "server.ssl.key-store-password": {"value": "******"}, "spring.security.oauth2.resourceserver.jwt.issuer-uri": {"value": "https://id.example.com/"}, "server.servlet.session.timeout": {"value": "30m"}, "jwt.token-validity": {"value": "3600"}}}]})
    yield get("statistics", "/v1/stats", {"tokens": 17, "sessions": 1523, "passes": 12, "passed": 48, "pass_rate": 0.98, "passRate": "98%", "secrets_found": 0, "keys": 204, "hits": {"keyspace_hits": 99812}, "tokens_per_minute": 90000, "auth_failures": 3, "total_keys": 204, "signature_count": 9, "password_resets": 3, "tokensUsed": 4120, "token_limit": 8192, "credentials_checked": 12})
