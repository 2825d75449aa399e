import Foundation
import Testing

@testable import TapedeckObjectStore
@testable import TapedeckUpstream

@Suite struct StoreAddressTests {
  @Test(arguments: [
    ("s3://bucket/team/api", "bucket", "team/api"), ("s3://bucket/api/", "bucket", "api"),
    ("s3://bucket", "bucket", ""),
    ("s3://bucket/", "bucket", ""), ("s3://my.bucket/ä b", "my.bucket", "ä b"),
  ]) func `a place has a bucket and a prefix`(_ text: String, _ bucket: String, _ prefix: String) throws {
    let address = try StoreAddress(text)
    #expect(address.bucket == bucket && address.prefix == prefix)
  }

  @Test(arguments: [
    "s3://", "s3://ab", "s3:///x", "s3://a/../b", "s3://bucket/../x", "s3://bucket/a//b", "s3://bucket/.",
    "s3://bu cket/a",
    "s3://bucket/a\nb", "s3://bu..cket/a", "http://bucket/a", "s3://user@bucket/a", "s3://bucket//",
  ]) func `what is no place is refused`(_ text: String) {
    #expect(throws: StoreError(text, .malformedAddress)) { try StoreAddress(text) }
  }
}

@Suite struct StoreEndpointTests {
  @Test(arguments: [
    ("bucket", nil, "eu-west-1", "https://bucket.s3.eu-west-1.amazonaws.com/k"),
    ("my.bucket", nil, "eu-west-1", "https://s3.eu-west-1.amazonaws.com/my.bucket/k"),
    ("bucket", nil, "cn-north-1", "https://bucket.s3.cn-north-1.amazonaws.com.cn/k"),
    ("bucket", "http://localhost:9000", "x", "http://localhost:9000/bucket/k"),
    ("bucket", "HTTPS://Store:443/s3/", "x", "https://store/s3/bucket/k"),
  ]) func `requests go to AWS or to the endpoint`(
    _ bucket: String, _ url: String?, _ region: String, _ expected: String
  )
    throws
  {
    let endpoint = try StoreEndpoint(bucket: bucket, url: url, region: region)
    #expect("\(endpoint.scheme)://\(endpoint.authority)\(endpoint.path(of: "k"))" == expected)
  }

  @Test(arguments: ["ftp://store", "http://key:secret@store", "http://store/?a", "store:9000", ""])
  func `an endpoint that is none is refused without being repeated`(_ url: String) {
    #expect(throws: StoreError("AWS_ENDPOINT_URL", .malformedEndpoint)) {
      try StoreEndpoint(bucket: "bucket", url: url, region: "x")
    }
  }
}

@Suite struct StoreQueueTests {
  @Test func `requests start in order, and failed ones again after a pause`() {
    var queue = StoreQueue(count: 2)
    #expect(queue.step(now: 0) == .start(0))
    let isBack = queue.retry(0, now: 0) { bound in
      #expect(bound == 200)
      return 150
    }
    #expect(isBack)
    #expect(queue.step(now: 0) == .start(1))
    #expect(queue.step(now: 100) == .wait(milliseconds: 50))
    #expect(queue.step(now: 150) == .start(0))
    #expect(queue.step(now: 150) == .none)
  }

  @Test func `pauses double up to ten seconds, and the sixth failure is the last`() {
    var queue = StoreQueue(count: 1)
    var bounds: [Int] = []
    var now = 0
    while queue.step(now: now) == .start(0) {
      let isBack = queue.retry(0, now: now) { bound in
        bounds.append(bound)
        return bound
      }
      guard isBack else { break }
      now += bounds.last ?? 0
    }
    #expect(bounds == [200, 400, 800, 1600, 3200])
    #expect(queue.failures(of: 0) == StoreQueue.maximumAttempts)
  }

  @Test func `an ended queue starts nothing more`() {
    var queue = StoreQueue(count: 3)
    #expect(queue.step(now: 0) == .start(0))
    queue.end()
    #expect(queue.step(now: 0) == .none)
  }
}

@Suite struct StoreXMLTests {
  @Test func `keys are decoded only where the store says that it encoded them`() {
    let document = "<ListBucketResult><Contents><Key>a%20b+c</Key></Contents></ListBucketResult>"
    #expect(StoreXML.list(Array(document.utf8)).items.map(\.key) == ["a%20b+c"])
  }

  @Test func `a list is read with its entities and encoded keys`() {
    let document = """
      <?xml version="1.0"?><ListBucketResult xmlns="x"><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType>
      <Contents><Key>a%20b+c%26</Key><LastModified>2026-11-24T19:00:00.000Z</LastModified><Size>7</Size></Contents>
      <Contents><Key>x&amp;&#65;&#x42;&nope;</Key></Contents>
      <NextContinuationToken>t&lt;k</NextContinuationToken></ListBucketResult>
      """
    let list = StoreXML.list(Array(document.utf8))
    #expect(list.items.map(\.key) == ["a b c&", "x&AB&nope;"])
    #expect(list.items[0].bytes == 7 && list.next == "t<k")
    #expect(list.items[0].age(at: 1_795_546_810) == 10)
  }

  @Test func `a document that ends anywhere is read up to there`() {
    let document = Array("<Error><Code>SlowDown</Code><Region>eu</Region></Error>".utf8)
    for end in document.indices {
      let code = StoreXML.text(of: "Code", in: Array(document[..<end]))
      #expect(code == (end >= 29 - 1 ? "SlowDown" : nil), "\(end)")
    }
  }
}

@Suite struct FileFingerprintTests {
  private static func manifest(_ files: (name: String, bytes: Int)...) -> RemoteManifest {
    RemoteManifest(
      seal: "s",
      files: files.map {
        .init(name: $0.name, bytes: $0.bytes, seal: "s", digest: String(repeating: "a", count: 64))
      })
  }

  @Test func `that of a folder is that of its manifest, until a file is changed`() throws {
    let folder = NSTemporaryDirectory() + "fingerprint-\(UInt64.random(in: 0 ... .max))"
    defer { StoreFiles.removeAll(folder) }
    try StoreFiles.makeFolder("\(folder)/api.test")
    for name in ["api.test/get-b.json", "cassette.json"] {
      try StoreFiles.write(Array("{}".utf8), to: "\(folder)/\(name)")
      StoreFiles.seal("\(folder)/\(name)")
    }
    let whole = FileFingerprint(of: Self.manifest(("api.test/get-b.json", 2), ("cassette.json", 2)))
    #expect(FileFingerprint(of: folder) == whole)
    #expect(FileFingerprint(parsing: "\(whole)") == whole)
    #expect(whole != FileFingerprint(of: Self.manifest(("api.test/get-b.json", 1), ("cassette.json", 3))))
    #expect(whole != FileFingerprint(of: Self.manifest(("get-b.json", 2), ("cassette.json", 2))))
    try StoreFiles.rename("\(folder)/cassette.json", to: "\(folder)/other.json")
    #expect(FileFingerprint(of: folder) != whole)
    try StoreFiles.write(Array("[]".utf8), to: "\(folder)/other.json")
    #expect(FileFingerprint(of: folder) == nil, "it has no mark")
  }
}

@Suite struct RemoteManifestTests {
  private static let digest = String(repeating: "ab", count: 32)

  @Test func `a manifest is read as it was written`() throws {
    let files = [
      "cassette.json", "get-ä-1.json", "host/get-b-2.json", "bodies/\(String(repeating: "0", count: 32)).bin",
    ]
    .map { RemoteManifest.File(name: $0, bytes: 3, seal: "s-1", digest: Self.digest) }
    let manifest = RemoteManifest(seal: "20261124T190000Z-00", files: files)
    #expect(try RemoteManifest(parsing: manifest.bytes, at: "x") == manifest)
    #expect(manifest.files.map(\.name).first == files[3].name)
  }

  @Test(arguments: [
    "..", "../a.json", "a/../b.json", "/a.json", "a/b/c.json", ".a.json", "bodies/a.json", "journal.jsonl",
    "a\u{1}.json",
    "bodies/../a.bin", "", "a", "../cassette.json",
  ]) func `a name that is none of a cassette's files is refused`(_ name: String) {
    #expect(!RemoteManifest.isFile(name))
  }
}
