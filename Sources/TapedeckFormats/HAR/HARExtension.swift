import TapedeckHTTP
import TapedeckRecording

/// The member `_tapedeck` of our own HAR files, so that nothing is lost on the way out and back: what the standard
/// members cannot hold, by the names that an interaction file has for it.
enum HARExtension {
  static let name = "_tapedeck"
  static let member = JSONString(name)
  static let currentFormat = 1

  static func isOurs(_ entry: JSONValue) -> Bool { entry[name]?.members != nil }

  /// The manifest of the cassette that was exported.
  static func manifest(_ log: JSONValue, file: String) throws(CassetteError) -> CassetteManifest? {
    guard let cassette = log[name]?["cassette"] else { return nil }
    return try CassetteManifest(parsing: cassette.bytes(), file: "\(file): log.\(name).cassette")
  }

  /// The exchange exactly as it was exported.
  static func exchange(
    _ entry: JSONValue, named place: String, in source: ImportSource
  ) throws(EntryRefusal) -> ImportedExchange {
    guard let own = entry[name], let request = entry["request"], let response = entry["response"] else {
      throw EntryRefusal("its request or its answer is missing; left out")
    }
    if let format = own["format"]?.int, format > currentFormat {
      throw EntryRefusal("it was written by a newer tapedeck (format \(format)); left out")
    }
    let url = request["url"]?.text ?? ""
    let origin = try SourceURL(url).origin
    let tree: JSONValue = [
      "request": try requestTree(request, own["request"] ?? .null, url: url),
      "response": try responseTree(response, own["response"] ?? .null),
      "volatile": own["volatile"] ?? .object([]),
    ]
    do throws(CassetteError) {
      let interaction = try InteractionFormat.decode(
        tree, in: "\(source.path): \(place)", loader: BodyLoader(directory: nil))
      return ImportedExchange(origin: origin, interaction: interaction)
    } catch {
      throw EntryRefusal("\(error); left out")
    }
  }

  private static func requestTree(_ request: JSONValue, _ own: JSONValue, url: String) throws(EntryRefusal)
    -> JSONValue
  {
    let parsed = try SourceURL(url)
    let target = own["target"] ?? ByteString.encode(parsed.target[...])
    var members = [
      JSONMember("method", request["method"] ?? .null), JSONMember("target", target),
      JSONMember("headers", fields(request["headers"])),
    ]
    let data = request["postData"] ?? .null
    append("body", own["body"] ?? body(data["text"], encoding: data["_encoding"]), to: &members)
    append("trailers", own["trailers"].map { fields($0) }, to: &members)
    return .object(members)
  }

  private static func responseTree(_ response: JSONValue, _ own: JSONValue) throws(EntryRefusal) -> JSONValue
  {
    var members = [
      JSONMember("version", response["httpVersion"] ?? .null),
      JSONMember("status", response["status"] ?? .null),
      JSONMember("reason", own["reason"] ?? response["statusText"] ?? ""),
      JSONMember("headers", fields(response["headers"])),
    ]
    let content = response["content"] ?? .null
    append("body", own["body"] ?? body(content["text"], encoding: content["encoding"]), to: &members)
    append("chunks", own["chunks"], to: &members)
    append("trailers", own["trailers"].map { fields($0) }, to: &members)
    append("closeDelimited", own["closeDelimited"], to: &members)
    append("interim", own["interim"], to: &members)
    append("cut", own["cut"], to: &members)
    return .object(members)
  }

  private static func append(_ name: JSONString, _ value: JSONValue?, to members: inout [JSONMember]) {
    if let value { members.append(JSONMember(name, value)) }
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
