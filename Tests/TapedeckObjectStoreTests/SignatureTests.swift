import Foundation
import TapedeckRedaction
import Testing

@testable import TapedeckObjectStore

/// The examples of AWS, "Authenticating Requests: Using the Authorization Header".
@Suite struct PublishedSignatureTests {
  private let signature = SignatureV4(
    StoreCredentials(keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1")
  private let host = (name: "Host", value: "examplebucket.s3.amazonaws.com")

  private func signed(_ request: SignatureV4.Request) -> String? {
    let fields = signature.fields(for: request, at: SigningTime(secondsSince1970: 1_369_353_600))
    return fields.last?.value.split(separator: "=").last.map(String.init)
  }

  @Test func `GET of an object`() {
    let request = SignatureV4.Request(
      "GET", "/test.txt", fields: [host, (name: "Range", value: "bytes=0-9")])
    #expect(signed(request) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func `PUT of an object whose name is encoded`() {
    let request = SignatureV4.Request(
      "PUT", "/test$file.text",
      fields: [
        host, (name: "Date", value: "Fri, 24 May 2013 00:00:00 GMT"),
        (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
      ], bodySHA256: SHA256Digest(of: Array("Welcome to Amazon S3.".utf8)).hex)
    #expect(request.target == "/test%24file.text")
    #expect(signed(request) == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  }

  @Test func `GET of a subresource`() {
    let request = SignatureV4.Request("GET", "/", query: [(name: "lifecycle", value: "")], fields: [host])
    #expect(signed(request) == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
  }

  @Test func `list of objects`() {
    let request = SignatureV4.Request(
      "GET", "/", query: [(name: "prefix", value: "J"), (name: "max-keys", value: "2")], fields: [host])
    #expect(signed(request) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }
}

/// What botocore signed, as `make_signed_requests.py` wrote it.
private struct SignedRequest: Decodable {
  var method, path, body, date, keyID, secret, region, authorization: String
  var token: String?
  var query, fields: [[String]]
}

@Suite struct RandomSignatureTests {
  /// 500 requests, or as many as are in the file that `TAPEDECK_SIGNED_REQUESTS` names.
  @Test func `signs what botocore signs`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = ProcessInfo.processInfo.environment["TAPEDECK_SIGNED_REQUESTS"].map { URL(filePath: $0) }
    let lines = try String(
      contentsOf: file ?? folder.appending(path: "signed-requests.jsonl"), encoding: .utf8)
    let requests = try lines.split(separator: "\n").map {
      try JSONDecoder().decode(SignedRequest.self, from: Data($0.utf8))
    }
    #expect(requests.count >= 500)
    for expected in requests {
      let request = SignatureV4.Request(
        expected.method, expected.path, query: expected.query.map { (name: $0[0], value: $0[1]) },
        fields: expected.fields.map { (name: $0[0], value: $0[1]) },
        bodySHA256: SHA256Digest(of: Array(expected.body.utf8)).hex)
      let signature = SignatureV4(
        StoreCredentials(keyID: expected.keyID, secret: expected.secret, sessionToken: expected.token),
        region: expected.region)
      let fields = signature.fields(for: request, at: SigningTime(text: expected.date))
      #expect(fields.last?.value == expected.authorization, "\(expected.method) \(request.target)")
    }
  }
}

@Suite struct SigningTimeTests {
  @Test(arguments: [
    (0, "19700101T000000Z"), (951_782_399, "20000228T235959Z"), (951_782_400, "20000229T000000Z"),
    (951_868_800, "20000301T000000Z"), (1_369_353_600, "20130524T000000Z"),
    (1_798_761_599, "20261231T235959Z"), (4_107_542_400, "21000301T000000Z"),
  ])
  func writesUTC(seconds: Int, text: String) {
    #expect(SigningTime(secondsSince1970: seconds).text == text)
  }
}

@Suite struct StoreCredentialsTests {
  @Test func `neither print nor dump shows a secret`() {
    let credentials = StoreCredentials(keyID: "AKIA", secret: "planted-secret", sessionToken: "planted-token")
    var dumped = ""
    dump([credentials], to: &dumped)
    for text in ["\(credentials)", String(reflecting: [credentials]), dumped] {
      #expect(text.contains("AKIA"))
      #expect(!text.contains("planted"), "\(text)")
    }
  }
}
