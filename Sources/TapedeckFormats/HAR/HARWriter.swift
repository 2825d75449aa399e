import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// Writes a cassette as strict HAR 1.2: every member the standard requires, times that are whole and not negative,
/// text in UTF-8, bodies without their content coding. What HAR cannot hold is in `_tapedeck`, see `HAROwn`, so
/// that reading the file again gives every interaction back as it was.
package struct HARWriter {
  private let creatorVersion: String
  private let origin: ExportOrigin

  /// - Parameter creatorVersion: of the program that writes.
  package init(creatorVersion: String, upstream: String? = nil) {
    self.creatorVersion = creatorVersion
    origin = ExportOrigin(upstream: upstream)
  }

  /// Writes the file piece by piece; bodies are read as they come.
  package func write(_ cassette: Cassette, into take: ([UInt8]) throws -> Void) throws {
    // As `cassette.json` would be if everything were sealed now.
    var manifest = cassette.manifest ?? CassetteManifest(cassette.recordedOrigins)
    if cassette.hasSeveralOrigins { manifest.origins = cassette.origins }
    manifest.rules = cassette.recordedRules
    manifest.rewriting = cassette.recordedRewriting
    try write(
      cassette.interactions.lazy.map(\.interaction), manifest, upstream: cassette.upstream, into: take)
  }

  /// Writes exchanges that are in no cassette.
  /// - Parameter upstream: their origin, even of those that name it; `nil` if they are of several.
  package func file(_ interactions: [Interaction], upstream: String?) throws -> [UInt8] {
    var manifest = CassetteManifest(upstream: upstream)
    let named = interactions.lazy.map { interaction in
      var named = interaction
      if upstream != nil { named.request.namesOrigin = false }
      return named
    }
    let origins = Set(named.compactMap(\.origin)).map { "\($0)" }.sorted()
    if !origins.isEmpty { manifest.origins = origins }
    var out: [UInt8] = []
    try write(named, manifest, upstream: upstream) { out += $0 }
    return out
  }

  private func write(
    _ interactions: some Sequence<Interaction>, _ manifest: CassetteManifest, upstream: String?,
    into take: ([UInt8]) throws -> Void
  ) throws {
    let writer = HARWriter(creatorVersion: creatorVersion, upstream: upstream)
    try take(opening(manifest))
    for (index, interaction) in interactions.enumerated() {
      try take(Array((index == 0 ? "\n" : ",\n").utf8) + writer.entry(interaction).indented(2))
    }
    try take(Array("\n    ]\n  }\n}\n".utf8))
  }

  private func opening(_ manifest: CassetteManifest) -> [UInt8] {
    let creator: JSONValue = ["name": "Tapedeck", "version": JSONValue(creatorVersion)]
    let own: JSONValue = ["format": JSONValue(HAROwn.currentFormat), "cassette": manifest.tree]
    var out = Array("{\n  \"log\": {\n    \"version\": \"1.2\",\n    \"creator\": ".utf8)
    out += creator.bytes(.spaced)
    out += ",\n    \"\(HAROwn.name)\": ".utf8
    out += own.bytes(.spaced)
    return out + ",\n    \"entries\": [".utf8
  }

  func entry(_ interaction: Interaction) throws(CassetteError) -> JSONValue {
    let facts = interaction.volatile
    let (started, total, timings) = Self.times(facts)
    let (request, ownRequest) = try request(interaction)
    let (response, ownResponse) = try response(interaction)
    let own = JSONValue.object(of: [
      "format": JSONValue(HAROwn.currentFormat),
      "request": ownRequest.members == [] ? JSONValue?.none : ownRequest,
      "response": ownResponse.members == [] ? JSONValue?.none : ownResponse,
      "volatile": try InteractionFormat.encode(facts),
      "webSocket": HARWebSocket.encodeOwn(interaction.response.webSocket),
    ])
    return .object(of: [
      "startedDateTime": JSONValue(started), "time": JSONValue(total), "request": request,
      "response": response, "cache": .object([]), "timings": timings,
      "serverIPAddress": Self.withoutPort(facts.remoteAddress).map { JSONValue($0) },
      JSONString(HARWebSocket.name): HARWebSocket.encode(interaction), JSONString(HAROwn.name): own,
    ])
  }

  /// The first day of the year 0, the earliest that four digits can tell.
  private static let earliest = -62_167_219_200_000

  /// The start and the duration of an exchange, in whole milliseconds, since some readers take nothing else.
  private static func times(_ facts: VolatileFacts) -> (started: String, total: Int, timings: JSONValue) {
    let total = Int((facts.durationMilliseconds ?? 0).rounded())
    let wait = min(
      total, Int((facts.chunkOffsetsMilliseconds?.first ?? facts.durationMilliseconds ?? 0).rounded()))
    let started = max((facts.recordedAtMilliseconds ?? 0) - total, earliest)
    return (
      Timestamp.text(milliseconds: started), total,
      ["send": 0, "wait": JSONValue(wait), "receive": JSONValue(total - wait)]
    )
  }

  private static func withoutPort(_ address: String?) -> String? {
    guard let address, !address.isEmpty else { return nil }
    if address.hasPrefix("["), let close = address.firstIndex(of: "]") {
      return String(address[..<close].dropFirst())
    }
    let colons = address.utf8.count { $0 == UInt8(ascii: ":") }
    return colons == 1 ? String(address.prefix { $0 != ":" }) : address
  }
}

// MARK: - Messages

extension HARWriter {
  /// A message, and what of it HAR cannot hold.
  private typealias Message = (value: JSONValue, own: JSONValue)

  private func request(_ interaction: Interaction) throws(CassetteError) -> Message {
    let request = interaction.request
    let fields = request.fields
    let url = origin.url(of: request)
    let body = try interaction.requestBody.allBytes()
    let type = JSONValue(fields.text("content-type") ?? "")
    // HAR has no encoding for bodies of requests, so it is in a field of our own.
    let text = JSONValue(ifText: body)
    let data = JSONValue.object(of: [
      "mimeType": type, "text": text ?? JSONValue(Base64.encode(body)),
      "_encoding": text == nil ? "base64" : JSONValue?.none,
    ])
    let query = (request.query.map { FormPairs($0).pairs } ?? []).map { pair -> JSONValue in
      ["name": JSONValue(decoding: pair.name), "value": JSONValue(decoding: pair.value)]
    }
    let value = JSONValue.object(of: [
      "method": JSONValue(request.method.rawValue), "url": JSONValue(url),
      "httpVersion": JSONValue(request.version.rawValue), "cookies": HARFields.sentCookies(fields),
      "headers": HARFields.encode(fields), "queryString": .array(query),
      "postData": body.isEmpty ? JSONValue?.none : data, "headersSize": -1,
      "bodySize": JSONValue(body.count),
    ])
    let isTargetInURL = (try? SourceURL(url))?.target == request.target
    return (
      value,
      .object(of: [
        "target": isTargetInURL ? JSONValue?.none : ByteString.encode(request.target[...]),
        "trailers": Self.trailers(request.trailers),
      ])
    )
  }

  private static func trailers(_ trailers: HTTPFields) -> JSONValue? {
    trailers.isEmpty ? JSONValue?.none : HARFields.encode(trailers)
  }

  private func response(_ interaction: Interaction) throws(CassetteError) -> Message {
    let response = interaction.response
    let head = response.head
    let body = try response.body.allBytes()
    // HAR wants the content without its coding; ours is kept beside it as it came.
    let opened = RecordedBody.bytes(body).opened(head.fields)?.content
    let value: JSONValue = [
      "status": JSONValue(head.status), "statusText": JSONValue(decoding: head.reason),
      "httpVersion": JSONValue(head.version.rawValue), "cookies": HARFields.setCookies(head.fields),
      "headers": HARFields.encode(head.fields), "content": Self.content(body, opened: opened, head.fields),
      "redirectURL": JSONValue(head.fields.text("location") ?? ""), "headersSize": -1,
      "bodySize": JSONValue(body.count),
    ]
    let isText = UTF8Scan.isValid(head.reason[...])
    let interim = try InteractionFormat.encode(interim: response.interim)
    return (
      value,
      .object(of: [
        "reason": isText ? JSONValue?.none : ByteString.encode(head.reason[...]),
        "body": opened.map { _ in ByteString.base64(body) },
        "chunks": response.chunkSizes.map(ChunkSizes.encode), "trailers": Self.trailers(response.trailers),
        "closeDelimited": response.isCloseDelimited ? true : JSONValue?.none,
        "cut": response.isCutByClient ? JSONValue(InteractionFormat.cutByClient) : JSONValue?.none,
        "interim": response.interim.isEmpty ? JSONValue?.none : interim,
      ])
    )
  }

  private static func content(_ body: [UInt8], opened: [UInt8]?, _ fields: HTTPFields) -> JSONValue {
    let content = opened ?? body
    let text = JSONValue(ifText: content)
    let isStillEncoded = opened == nil && text == nil && !BodyCoding.names(fields).isEmpty
    return .object(of: [
      "size": JSONValue(content.count), "mimeType": JSONValue(fields.text("content-type") ?? ""),
      "text": content.isEmpty ? JSONValue?.none : text ?? JSONValue(Base64.encode(content)),
      "encoding": text == nil ? "base64" : JSONValue?.none,
      "compression": opened.map { JSONValue($0.count - body.count) },
      "comment": isStillEncoded ? "still encoded as Content-Encoding says" : JSONValue?.none,
    ])
  }
}
