import Testing

@testable import TapedeckObjectStore

@Suite struct StoreEnvironmentTests {
  private static let credentialsFile = """
    # a comment
    [default]
    aws_access_key_id = DEFAULT
    aws_secret_access_key=s1=/+
    [work]
    aws_access_key_id = WORK
    aws_secret_access_key = s2
    aws_session_token = t2
    [half]
    aws_access_key_id = HALF
    """
  private static let configurationFile = """
    [default]
    region = eu-west-1
    [profile work]
    region = eu-north-1
    endpoint_url = http://store:9000
    s3 =
      region = nested
    [profile role]
    role_arn = arn:aws:iam::1:role/ci
    web_identity_token_file = /token
    """

  private func environment(_ variables: [String: String]) throws(StoreEnvironmentError) -> StoreEnvironment {
    try StoreEnvironment(variable: { (["HOME": "/home/u"].merging(variables) { $1 })[$0] }) { path in
      switch path {
      case "/home/u/.aws/credentials": Array(Self.credentialsFile.utf8)
      case "/home/u/.aws/config", "/other/config": Array(Self.configurationFile.utf8)
      default: nil
      }
    }
  }

  private static let noFiles = ["AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"]
  private static let container = "AWS_CONTAINER_CREDENTIALS_FULL_URI"

  @Test func `keys come from the environment, then from the profile`() throws {
    let variables = ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"]
    let found = StoreCredentials(keyID: "ENV", secret: "s", sessionToken: "t")
    #expect(try environment(variables).source() == .keys(found))
    #expect(try environment(variables.merging(["AWS_PROFILE": "work"]) { $1 }).source() == .keys(found))
    #expect(try environment([:]).source() == .keys(StoreCredentials(keyID: "DEFAULT", secret: "s1=/+")))
    #expect(
      try environment(["AWS_PROFILE": "work"]).source()
        == .keys(StoreCredentials(keyID: "WORK", secret: "s2", sessionToken: "t2")))
  }

  @Test func `region and endpoint come from the environment, then from the profile`() throws {
    let work = try environment(["AWS_PROFILE": "work", "AWS_CONFIG_FILE": "/other/config"])
    #expect(work.region == "eu-north-1")
    #expect(work.endpoint == "http://store:9000")
    #expect(try environment([:]).region == "eu-west-1")
    #expect(try environment([:]).endpoint == nil)
    #expect(try environment(["AWS_DEFAULT_REGION": "a", "AWS_REGION": "b"]).region == "b")
    #expect(try environment(["AWS_ENDPOINT_URL": "a", "AWS_ENDPOINT_URL_S3": "b"]).endpoint == "b")
    #expect(try environment(Self.noFiles).region == "us-east-1")
  }

  @Test func `a web identity needs a role and a file`() throws {
    let variables = ["AWS_ROLE_ARN": "arn:x", "AWS_WEB_IDENTITY_TOKEN_FILE": "/t"]
    #expect(
      try environment(variables).source()
        == .webIdentity(role: "arn:x", tokenFile: "/t", sessionName: "tapedeck"))
    #expect(
      try environment(["AWS_PROFILE": "role"]).source()
        == .webIdentity(role: "arn:aws:iam::1:role/ci", tokenFile: "/token", sessionName: "tapedeck"))
  }

  @Test func `a container is asked where its credentials are safe`() throws {
    let relative = Self.noFiles.merging([
      "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "secret",
    ]) { $1 }
    #expect(
      try environment(relative).source()
        == .container(url: "http://169.254.170.2/v2/x", authorization: .token("secret")))
    for url in [
      "https://any.example/x", "http://127.0.0.1:8080/x", "http://[fd00:ec2::23]/v1", "http://localhost",
    ] {
      let source = try environment(Self.noFiles.merging([Self.container: url]) { $1 }).source()
      #expect(source == .container(url: url, authorization: nil))
    }
  }

  @Test(arguments: [
    "http://any.example/x", "http://127.0.0.1@any.example/x", "http://127.0.0.1:80@any.example/x",
    "http://[::1].any.example/", "http://127.0.0.1.any.example/", "ftp://127.0.0.1/", "",
  ])
  func refusesOtherContainers(url: String) {
    let error: StoreEnvironmentError = url.isEmpty ? .noCredentials : .prohibitedContainer
    #expect(throws: error) {
      try environment(Self.noFiles.merging([Self.container: url]) { $1 }).source()
    }
  }

  @Test func `what is missing is named, without a secret`() {
    #expect(throws: StoreEnvironmentError.profileAbsent("gone")) { try environment(["AWS_PROFILE": "gone"]) }
    #expect(throws: StoreEnvironmentError.noCredentials) { try environment(Self.noFiles).source() }
    let half = StoreEnvironmentError.halfOfKey(place: "the profile half", absent: "secret access key")
    #expect(throws: half) { try environment(["AWS_PROFILE": "half"]).source() }
    let reversed = StoreEnvironmentError.halfOfKey(place: "the environment", absent: "access key id")
    #expect(throws: reversed) { try environment(["AWS_SECRET_ACCESS_KEY": "planted"]).source() }
    #expect(!"\(reversed)".contains("planted"))
    #expect(
      "\(CredentialSource.container(url: "u", authorization: .token("planted")))".contains("planted") == false
    )
  }
}
