internal import TapedeckHTTP
internal import TapedeckUpstream

/// Gives the credentials of the environment, and gets temporary ones anew before they are old.
final class CredentialProvider {
  /// AWS gives out none that are valid for less than 15 minutes.
  private static let maximumAgeMilliseconds = 10 * 60 * 1000

  private let surroundings: StoreSurroundings
  private let environment: StoreEnvironment
  private let source: CredentialSource
  private let pool: TransferPool
  private var current: (credentials: StoreCredentials, since: Int)?

  init(_ surroundings: StoreSurroundings, _ environment: StoreEnvironment, _ pool: TransferPool)
    throws(StoreError)
  {
    (self.surroundings, self.environment, self.pool) = (surroundings, environment, pool)
    do throws(StoreEnvironmentError) { source = try environment.source() } catch {
      throw StoreError("the object store", .noCredentials("\(error)"))
    }
  }

  func credentials() throws(StoreError) -> StoreCredentials {
    let credentials = try currentCredentials()
    guard credentials.isPlain else {
      throw StoreError(
        "the object store",
        .noCredentials("the credentials hold a blank, a line break or a character that is not ASCII"))
    }
    return credentials
  }

  private func currentCredentials() throws(StoreError) -> StoreCredentials {
    if case .keys(let keys) = source { return keys }
    let now = surroundings.milliseconds()
    if let current, now - current.since < Self.maximumAgeMilliseconds { return current.credentials }
    let fetched = try fetched()
    current = (fetched, now)
    return fetched
  }

  private func fetched() throws(StoreError) -> StoreCredentials {
    switch source {
    case .keys(let keys): return keys
    case .webIdentity(let role, let tokenFile, let sessionName):
      let token = try read(tokenFile, "AWS_WEB_IDENTITY_TOKEN_FILE")
      return try assume(role, token, sessionName)
    case .container(let url, let authorization): return try ask(url, authorization)
    }
  }

  /// A file of one line, without its end.
  private func read(_ path: String, _ variable: String) throws(StoreError) -> String {
    guard let bytes = surroundings.file(path) else {
      throw StoreError(path, .noCredentials("the file that \(variable) names cannot be read"))
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return String(
      text[..<(text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex)])
  }

  private func assume(_ role: String, _ token: String, _ session: String) throws(StoreError)
    -> StoreCredentials
  {
    let query = SignatureV4.Request(
      "GET", "/",
      query: [
        ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
        ("RoleSessionName", session), ("WebIdentityToken", token),
      ].map { (name: $0.0, value: $0.1) }, fields: []
    ).target.dropFirst("/?".count)
    // In the body, so that the token stands in no server's log of requests.
    let response = try send(
      Transfer(
        "POST", environment.tokenEndpoint,
        fields: [(name: "Content-Type", value: "application/x-www-form-urlencoded")],
        body: .bytes(Array(query.utf8))), "the token service of AWS_ROLE_ARN")
    guard let key = StoreXML.text(of: "AccessKeyId", in: response.body),
      let secret = StoreXML.text(of: "SecretAccessKey", in: response.body)
    else { throw Self.useless("the token service of AWS_ROLE_ARN") }
    return StoreCredentials(
      keyID: key, secret: secret, sessionToken: StoreXML.text(of: "SessionToken", in: response.body))
  }

  private func ask(
    _ url: String, _ authorization: ContainerAuthorization?
  ) throws(StoreError) -> StoreCredentials {
    var transfer = Transfer("GET", url)
    switch authorization {
    case .token(let token): transfer.fields = [(name: "Authorization", value: token)]
    case .file(let path):
      let token = try read(path, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
      transfer.fields = [(name: "Authorization", value: token)]
    case nil: break
    }
    let place = "the credentials service of this container"
    guard transfer.fields.allSatisfy({ !$0.value.utf8.contains { $0 < ASCII.space } }) else {
      throw Self.useless(place)
    }
    let response = try send(transfer, place)
    guard let document = try? JSONValue(parsing: response.body), let key = document["AccessKeyId"]?.text,
      let secret = document["SecretAccessKey"]?.text
    else { throw Self.useless(place) }
    return StoreCredentials(keyID: key, secret: secret, sessionToken: document["Token"]?.text)
  }

  private func send(_ transfer: Transfer, _ place: String) throws(StoreError) -> TransferResponse {
    var outcome: Result<TransferResponse, TransferFailure>?
    var isStarted = false
    pool.run {
      if isStarted { return .none }
      isStarted = true
      return .start(id: 0, transfer)
    } finish: {
      outcome = $1
    }
    switch outcome {
    case .success(let response) where response.status == 200: return response
    case .success(let response):
      throw StoreError(place, .noCredentials("no credentials were given (\(response.status))"))
    case .failure(let failure): throw StoreError(place, .unreachable(failure.reason))
    case nil: throw Self.useless(place)
    }
  }

  private static func useless(_ place: String) -> StoreError {
    StoreError(place, .noCredentials("its response holds no credentials"))
  }
}
