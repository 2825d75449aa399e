import TapedeckHTTP
import TapedeckRecording

/// Reads HAR 1.2 as tools really write it.
///
/// It promises an interaction for every entry that holds a whole exchange, and a note for every other. It assumes only
/// that there is JSON with `log.entries`; members may be missing, of the wrong type or private. Redirects stay
/// responses of their own.
extension ImportedSession {
  /// The log, which browsers' extensions get without its root.
  private static func log(_ document: JSONValue) -> JSONValue? {
    document["log"] ?? (document["entries"] != nil && document["creator"] != nil ? document : nil)
  }

  static func isHAR(_ document: JSONValue) -> Bool { log(document)?["entries"] != nil }

  static func readHAR(_ document: JSONValue, from source: ImportSource) throws(CassetteError) -> Self {
    guard let log = log(document), let entries = log["entries"]?.array else {
      throw .invalidEntry(
        file: source.path, member: "log.entries", problem: "a HAR has its entries here, as an array")
    }
    var session = ImportedSession()
    session.manifest = try log[HAROwn.name]?["cassette"].map { cassette throws(CassetteError) in
      try CassetteManifest(parsing: cassette.bytes(), file: "\(source.path): log.\(HAROwn.name).cassette")
    }
    for (index, entry) in entries.enumerated() {
      let name = "entry \(index + 1)"
      guard let own = entry[HAROwn.name], own.members != nil else {
        session.append(file: source.path, entry: name) { draft throws(EntryRefusal) in
          try draft.fill(har: entry, from: source)
        }
        continue
      }
      do throws(EntryRefusal) {
        session.exchanges.append(try HAROwn.exchange(entry, own, in: "\(source.path): \(name)"))
      } catch {
        session.note(error, source.path, name)
      }
    }
    return session
  }
}

/// The member `_tapedeck` of our own HAR files, so that nothing is lost on the way out and back: what the standard
/// members cannot hold, by the names that an interaction file has for it.
enum HAROwn {
  static let name = "_tapedeck"
  static let currentFormat = 1

  /// The exchange exactly as it was exported.
  fileprivate static func exchange(
    _ entry: JSONValue, _ own: JSONValue, in place: String
  ) throws(EntryRefusal) -> ImportedExchange {
    guard let request = entry["request"], let response = entry["response"] else {
      throw EntryRefusal("its request or its response is missing")
    }
    if let format = own["format"]?.int, format > currentFormat {
      throw EntryRefusal("it was written by a newer tapedeck (format \(format))")
    }
    let url = try SourceURL(request["url"]?.text ?? "")
    let tree: JSONValue = .object(of: [
      "request": requestTree(request, own["request"] ?? .null, url),
      "response": responseTree(response, own["response"] ?? .null),
      "webSocket": HARWebSocket.tree(entry[HARWebSocket.name], own["webSocket"]),
      "volatile": own["volatile"] ?? .object([]),
    ])
    do throws(CassetteError) {
      let interaction = try InteractionFormat.decode(tree, in: place, loader: BodyLoader(directory: nil))
      return ImportedExchange(origin: url.origin, interaction: interaction)
    } catch {
      throw EntryRefusal("\(error)")
    }
  }

  private static func requestTree(_ request: JSONValue, _ own: JSONValue, _ url: SourceURL) -> JSONValue {
    let data = request["postData"]
    return .object(of: [
      "method": request["method"] ?? .null, "target": own["target"] ?? ByteString.encode(url.target[...]),
      "headers": fields(request["headers"]),
      "body": own["body"] ?? body(data?["text"], encoding: data?["_encoding"]),
      "trailers": own["trailers"].map { fields($0) },
    ])
  }

  private static func responseTree(_ response: JSONValue, _ own: JSONValue) -> JSONValue {
    let content = response["content"]
    return .object(of: [
      "version": response["httpVersion"] ?? .null, "status": response["status"] ?? .null,
      "reason": own["reason"] ?? response["statusText"] ?? "", "headers": fields(response["headers"]),
      "body": own["body"] ?? body(content?["text"], encoding: content?["encoding"]),
      "chunks": own["chunks"], "trailers": own["trailers"].map { fields($0) },
      "closeDelimited": own["closeDelimited"], "interim": own["interim"], "cut": own["cut"],
    ])
  }

  private static func body(_ text: JSONValue?, encoding: JSONValue?) -> JSONValue? {
    guard let text, text.text != "" else { return nil }
    return encoding?.text == "base64" ? ["base64": text] : ["text": text]
  }

  private static func fields(_ list: JSONValue?) -> JSONValue {
    var pairs: [JSONValue] = []
    HARFields.each(list) { pairs.append(.array([ByteString.encode($0[...]), ByteString.encode($1[...])])) }
    return .array(pairs)
  }
}
