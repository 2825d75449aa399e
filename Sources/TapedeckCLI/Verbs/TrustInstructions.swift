internal import TapedeckHTTP

/// What to type so that a client trusts an authority.
struct TrustInstructions {
  /// The path of the certificate.
  let certificate: String

  private var quoted: String { ShellWord.quoted(certificate) }

  /// For clients whose variable replaces the system's authorities; beside the certificate.
  private var bundle: String {
    ShellWord.quoted(
      certificate.prefix(through: certificate.lastIndex(of: "/") ?? certificate.startIndex) + "bundle.pem")
  }

  private static let system = "/etc/ssl/certs/ca-certificates.crt"

  private var clients: [(name: String, lines: [String])] {
    [
      ("curl", ["curl --cacert \(quoted) URL"]),
      ("Node.js", ["export NODE_EXTRA_CA_CERTS=\(quoted)"]),
      (
        "Python (requests, httpx, pip, boto3), Ruby, git, Deno, Go, Rust: a bundle of the system's authorities and this one",
        [
          "cat \(Self.system) \(quoted) > \(bundle)",
          "export SSL_CERT_FILE=\(bundle) REQUESTS_CA_BUNDLE=\(bundle) PIP_CERT=\(bundle)",
          "export AWS_CA_BUNDLE=\(bundle) GIT_SSL_CAINFO=\(bundle) CURL_CA_BUNDLE=\(bundle)",
          "export DENO_CERT=\(quoted)",
        ]
      ),
      (
        "Java",
        [
          "keytool -importcert -noprompt -alias tapedeck -file \(quoted) -keystore tapedeck.p12 -storepass changeit",
          "export JAVA_TOOL_OPTIONS='-Djavax.net.ssl.trustStore=tapedeck.p12 -Djavax.net.ssl.trustStorePassword=changeit'",
        ]
      ),
      (".NET", ["as for Debian's store; or: export SSL_CERT_FILE=\(bundle)"]),
      (
        "Debian's and Ubuntu's store, for most programs",
        ["sudo cp \(quoted) /usr/local/share/ca-certificates/tapedeck.crt", "sudo update-ca-certificates"]
      ),
      (
        "Chromium and Chrome on Linux (libnss3-tools)",
        ["certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n tapedeck -i \(quoted)"]
      ),
      (
        "Firefox",
        ["Settings, Privacy & Security, View Certificates, Authorities, Import: \(certificate)"]
      ),
      (
        "A container (Debian)",
        [
          "COPY authority.pem /usr/local/share/ca-certificates/tapedeck.crt", "RUN update-ca-certificates",
        ]
      ),
    ]
  }

  var text: String {
    clients.map { client in
      "\(client.name):\n" + client.lines.map { "  \($0)\n" }.joined()
    }.joined(separator: "\n")
  }
}
