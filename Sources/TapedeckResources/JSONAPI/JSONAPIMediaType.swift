internal import TapedeckMocking

/// Content negotiation (JSON:API 1.1 §6). No extension is served.
enum JSONAPIMediaType {
  /// The value of `Content-Type`.
  static func text(profile: String?) -> String {
    JSONAPIDocument.mediaType + (profile.map { "; profile=\"\($0)\"" } ?? "")
  }

  /// Why a media type is not served, or an empty text; nil for one other than JSON:API's.
  private static func objection(to text: Substring) -> String? {
    let parts = split(text, at: ";")
    guard parts.first?.lowercased() == JSONAPIDocument.mediaType else { return nil }
    var extensions: [String] = []
    for parameter in parts.dropFirst() where !parameter.isEmpty {
      let pair = split(parameter[...], at: "=")
      switch pair[0].lowercased() {
      case "ext": extensions += unquoted(pair.count > 1 ? pair[1] : "").split(separator: " ").map(String.init)
      case "profile", "q": break
      default: return "the media type takes no parameters but ext and profile"
      }
    }
    return extensions.isEmpty ? "" : "the body uses \(extensions.joined(separator: " "))"
  }

  /// Throws 415 for a request whose body cannot be read.
  static func checkContentType(of request: Request) throws(ResourceProblem) {
    let text = request.header("content-type") ?? ""
    let objection = objection(to: text[...]) ?? "the body's type is \(text.debugDescription)"
    if !objection.isEmpty { throw refused(415, objection, "Content-Type") }
  }

  /// Throws 406 for a client that takes no response of ours.
  static func checkAccept(of request: Request) throws(ResourceProblem) {
    let accepted = request.httpHeaders.values(of: "accept").flatMap { split($0[...], at: ",") }
    let objections = accepted.compactMap { objection(to: $0[...]) }
    if !objections.isEmpty, !objections.contains("") {
      throw refused(406, "no accepted media type is served", "Accept")
    }
  }

  private static func refused(_ status: Int, _ problem: String, _ header: String) -> ResourceProblem {
    ResourceProblem(
      status, "\(problem); requests and responses here are \(JSONAPIDocument.mediaType)", header: header)
  }

  /// The parts between separators outside of quotes, without the blanks around them.
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
