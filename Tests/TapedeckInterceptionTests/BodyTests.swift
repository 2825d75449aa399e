import Foundation
import FoundationNetworking
import Synchronization
import TapedeckHTTP
import TapedeckInterception
import TapedeckMocking
import Testing

@Suite struct `D. Requests of URLSession` {
  private let interception = Interception(unmatched: .fail)
  private let session: URLSession
  private let big = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  init() {
    interception.register("http://test.com").any("/echo") { request in
      Response(data: request.httpBody ?? [], headers: ["X-Count": "\(request.httpHeaders.count)"])
    }
    session = URLSession(configuration: interception.configuration)
  }

  @Test func `K89 a body on the request reaches the handler`() async throws {
    var request = try URLRequest("http://test.com/echo", "POST")
    request.httpBody = big
    #expect(try await session.data(for: request).0 == big)
  }

  @Test func `K90 K91 K92 header fields, none, components and query`() async throws {
    let router = interception.register("http://test.com")
    router.get("/look/:id") { request in
      [
        "fields": request.httpHeaders.dictionary, "id": request.components["id"],
        "query": request.queryParameters.map { "\($0.name)=\($0.value ?? "")" },
      ]
    }
    #expect(try await session.ask("http://test.com/echo").field("X-Count") == "0")
    let heard = try await session.ask("http://test.com/look/7?b=2&a=1", headers: ["X-Mark": "m"])
    #expect(heard.body == #"{"fields":{"X-Mark":"m"},"id":"7","query":["b=2","a=1"]}"#)
  }

  @Test func `K93 bodies of uploads, from data and from a file`() async throws {
    let request = try URLRequest("http://test.com/echo", "POST")
    #expect(try await session.upload(for: request, from: big).0 == big)
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try big.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try await session.upload(for: request, fromFile: file).0 == big)
    let gone = await failure {
      _ = try await session.upload(for: request, fromFile: URL(filePath: "/nonexistent/file"))
    }
    #expect(gone != nil)
  }

  @Test func `K93 bodies of streams, on the request and by a delegate`() async throws {
    var request = try URLRequest("http://test.com/echo", "POST")
    request.httpBodyStream = InputStream(data: big)
    #expect(try await session.data(for: request).0 == big)

    let delegate = Collector(stream: big)
    let streaming = URLSession(
      configuration: interception.configuration, delegate: delegate, delegateQueue: nil)
    let task = streaming.uploadTask(withStreamedRequest: try URLRequest("http://test.com/echo", "POST"))
    task.resume()
    #expect(await delegate.end() == nil)
    #expect(delegate.data == big)
  }

  @Test func `K94 method, URL and host as they were asked`() async throws {
    interception.register("https://api.test.com:8443").on("PURGE")("/v1/:x") { request in
      ["url": request.url, "host": request.host, "method": request.method.rawValue]
    }
    let heard = try await session.ask("https://API.test.com:8443/v1/a%20b?q=%C3%A9#there", "PURGE")
    #expect(
      heard.body
        == #"{"url":"https://api.test.com:8443/v1/a%20b?q=%C3%A9","host":"api.test.com","method":"PURGE"}"#)
  }

  @Test func `header fields of the session come with every request`() async throws {
    let configuration = interception.configuration
    configuration.httpAdditionalHeaders = ["X-Mark": "session"]
    interception.register("http://test.com").get("/mark") { Response(text: $0.header("X-Mark") ?? "") }
    let session = URLSession(configuration: configuration)
    #expect(try await session.text("http://test.com/mark") == "session")
    #expect(try await session.ask("http://test.com/mark", headers: ["x-mark": "own"]).body == "own")
  }

  @Test func `K111 a closure hears a streamed body whole, a delegate bit by bit`() async throws {
    let router = interception.register("http://test.com")
    router.get("/stream") { _ in
      Response(stream: .texts(["one ", "two ", "three"], interval: .milliseconds(5)))
    }
    #expect(try await session.text("http://test.com/stream") == "one two three")
    let delegate = Collector()
    let delegated = URLSession(
      configuration: interception.configuration, delegate: delegate, delegateQueue: nil)
    delegated.dataTask(with: try URLRequest("http://test.com/stream")).resume()
    #expect(await delegate.end() == nil)
    #expect(delegate.pieces == ["one ", "two ", "three"])
    #expect(try await delegated.text("http://test.com/stream") == "one two three")
    let url = try #require(URL(string: "http://test.com/stream"))
    let text = await withCheckedContinuation { continuation in
      delegated.dataTask(with: url) { data, _, _ in
        continuation.resume(returning: String(decoding: data ?? Data(), as: UTF8.self))
      }.resume()
    }
    #expect(text == "one two three")
  }

  @Test func `K111 a body that fails breaks off`() async throws {
    struct Broken: Error {}
    let router = interception.register("http://test.com")
    router.get("/broken") { _ in
      Response(
        stream: .producing { write in
          try await write([1, 2, 3])
          throw Broken()
        })
    }
    let error = await failure { _ = try await session.text("http://test.com/broken") }
    #expect(error?.code == .networkConnectionLost)
    #expect(error?.localizedDescription.contains("Broken()") == true)
  }

  @Test func `a stream that never ends is left by its client`() async throws {
    let left = Notes()
    let router = interception.register("http://test.com")
    router.get("/endless") { _ in
      Response(
        stream: .producing { write in
          defer { left.add("left") }
          while true {
            try await write(Array("tick".utf8))
            try await Task.sleep(for: .milliseconds(1))
          }
        })
    }
    let delegate = Collector()
    let delegated = URLSession(
      configuration: interception.configuration, delegate: delegate, delegateQueue: nil)
    let task = delegated.dataTask(with: try URLRequest("http://test.com/endless"))
    delegate.onPiece = { if $0 == 3 { task.cancel() } }
    task.resume()
    #expect((await delegate.end() as? URLError)?.code == .cancelled)
    while left.all.isEmpty { await Task.yield() }
  }

  @Test func `a download says that it cannot be answered here`() async throws {
    let error = await failure { _ = try await session.download(for: URLRequest("http://test.com/echo")) }
    #expect(error?.localizedDescription.contains("download") == true)
  }
}

/// A delegate that keeps what it is told, and may give a body.
private final class Collector: NSObject, URLSessionDataDelegate {
  private struct State {
    var pieces: [Data] = []
    var onPiece: (@Sendable (Int) -> Void)?
    var ended: (any Error)??
    var waiting: CheckedContinuation<(any Error)?, Never>?
  }

  private let state = Mutex(State())
  private let stream: Data?

  init(stream: Data? = nil) { self.stream = stream }

  var data: Data { state.withLock { $0.pieces.reduce(Data(), +) } }
  var pieces: [String] { state.withLock { $0.pieces.map { String(decoding: $0, as: UTF8.self) } } }
  var onPiece: (@Sendable (Int) -> Void)? {
    get { state.withLock { $0.onPiece } }
    set { state.withLock { $0.onPiece = newValue } }
  }

  func end() async -> (any Error)? {
    await withCheckedContinuation { continuation in
      let ended = state.withLock { state in
        if state.ended == nil { state.waiting = continuation }
        return state.ended
      }
      if let ended { continuation.resume(returning: ended) }
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let (count, onPiece) = state.withLock { state in
      state.pieces.append(data)
      return (state.pieces.count, state.onPiece)
    }
    onPiece?(count)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let waiting = state.withLock { state in
      state.ended = .some(error)
      return state.waiting
    }
    waiting?.resume(returning: error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream: @escaping (InputStream?) -> Void
  ) {
    needNewBodyStream(stream.map { InputStream(data: $0) })
  }
}
