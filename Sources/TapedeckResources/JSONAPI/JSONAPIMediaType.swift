internal import TapedeckMocking

/// Content negotiation (JSON:API 1.1 §6). No extension is served.
extension JSONAPIExchange {
  /// Throws 415 for a request whose body cannot be read.
  func checkContentType() throws(ResourceProblem) {
    let text = request.header("content-type") ?? ""
    let objection = Self.objection(to: text) ?? "the body's type is \(text.debugDescription)"
    if !objection.isEmpty { throw Self.refused(415, objection, "Content-Type") }
  }

  /// Throws 406 for a client that does not accept JSON:API.
  static func checkAccept(of request: Request) throws(ResourceProblem) {
    let accepted = request.httpHeaders.values(of: "accept").flatMap { split($0, at: ",") }
    let objections = accepted.compactMap(objection)
    if !objections.isEmpty, !objections.contains("") {
      throw refused(406, "no accepted media type is served", "Accept")
    }
  }

  /// Why a media type is not served, or an empty text; nil for other types than JSON:API's.
  private static func objection(to text: String) -> String? {
    let parts = split(text, at: ";")
    guard parts.first?.lowercased() == JSONAPIDocument.mediaType else { return nil }
    var extensions: [Substring] = []
    for parameter in parts.dropFirst() where !parameter.isEmpty {
      let pair = split(parameter, at: "=")
      switch pair[0].lowercased() {
      case "ext": extensions += (pair.count > 1 ? pair[1] : "").split { $0 == " " || $0 == "\"" }
      case "profile", "q": break
      default: return "the media type takes no parameters but ext and profile"
      }
    }
    return extensions.isEmpty ? "" : "the body uses \(extensions.joined(separator: " "))"
  }

  private static func refused(_ status: Int, _ problem: String, _ header: String) -> ResourceProblem {
    ResourceProblem(
      status, "\(problem); requests and responses here are \(JSONAPIDocument.mediaType)", header: header)
  }

  /// Splits at separators outside of quotes, and trims blanks.
  private static func split(_ text: String, at separator: Character) -> [String] {
    var isQuoted = false
    let parts = text.split(omittingEmptySubsequences: false) { character in
      if character == "\"" { isQuoted.toggle() }
      return character == separator && !isQuoted
    }
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return parts.map { String($0.drop(while: isBlank).reversed().drop(while: isBlank).reversed()) }
  }
}
