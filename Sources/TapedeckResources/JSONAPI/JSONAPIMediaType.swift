internal import TapedeckMocking

/// Content negotiation (JSON:API 1.1 §6).
struct JSONAPIMediaType {
  /// URIs of extensions.
  var ext: [String] = []
  var profiles: [String] = []
  /// Whether there are parameters that JSON:API does not know.
  var hasForeignParameters = false

  /// As it is written in `Content-Type`.
  var text: String {
    JSONAPIDocument.mediaType + (profiles.isEmpty ? "" : "; profile=\"\(profiles.joined(separator: " "))\"")
  }

  /// Nil for another media type.
  init?(_ text: Substring) {
    let parts = Self.split(text, at: ";")
    guard parts.first?.lowercased() == JSONAPIDocument.mediaType else { return nil }
    for parameter in parts.dropFirst() where !parameter.isEmpty {
      let pair = Self.split(parameter[...], at: "=")
      let value = pair.count > 1 ? Self.unquoted(pair[1]) : ""
      switch pair[0].lowercased() {
      case "ext": ext += value.split(separator: " ").map(String.init)
      case "profile": profiles += value.split(separator: " ").map(String.init)
      case "q": break
      default: hasForeignParameters = true
      }
    }
  }

  init(profiles: [String] = []) { self.profiles = profiles }

  /// Throws 415 where a request's body has no type that we read.
  static func checkContentType(of request: Request) throws(ResourceProblem) {
    let text = request.header("content-type") ?? ""
    guard let type = JSONAPIMediaType(text[...]) else {
      throw refused(415, "the body's type is \(text.debugDescription)", "Content-Type")
    }
    if type.hasForeignParameters {
      throw refused(415, "the media type takes no parameters but ext and profile", "Content-Type")
    }
    guard type.ext.isEmpty else {
      throw refused(415, "the body uses \(type.ext.joined(separator: " "))", "Content-Type")
    }
  }

  /// Throws 406 where a client would take none of our answers.
  static func checkAccept(of request: Request) throws(ResourceProblem) {
    let accepted = request.httpHeaders.values(of: "accept").flatMap { split($0[...], at: ",") }
    let types = accepted.compactMap { JSONAPIMediaType($0[...]) }
    guard !types.isEmpty else { return }
    if !types.contains(where: { !$0.hasForeignParameters && $0.ext.isEmpty }) {
      throw refused(406, "nothing of what is accepted is served", "Accept")
    }
  }

  private static func refused(
    _ status: Int, _ problem: String, _ header: String
  ) -> ResourceProblem {
    ResourceProblem(
      status, "\(problem): what is spoken here is \(JSONAPIDocument.mediaType)", header: header)
  }

  /// The parts between separators that do not stand in quotes, without the blanks around them.
  private static func split(_ text: Substring, at separator: Character) -> [String] {
    var parts = [""]
    var isQuoted = false
    for character in text {
      if character == "\"" { isQuoted.toggle() }
      if character == separator, !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts.map { String($0.drop(while: isBlank).reversed().drop(while: isBlank).reversed()) }
  }

  private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

  private static func unquoted(_ text: String) -> String {
    text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
      ? String(text.dropFirst().dropLast()) : text
  }
}
