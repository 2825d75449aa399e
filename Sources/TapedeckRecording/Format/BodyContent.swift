package import TapedeckHTTP
import TapedeckRedaction

/// What is in a body once its coding is opened, for those who want to change it.
package enum BodyContent {
  package enum Opened: Equatable {
    case content([UInt8])
    /// It cannot be opened: the name of its coding.
    case closed(String)
  }

  /// Opens gzip and deflate. Nothing opens what is damaged, or far larger than it looks.
  package static func opened(_ body: [UInt8], _ fields: HTTPFields) -> Opened {
    let coding = BodyCoding(fields)
    if coding == .identity || body.isEmpty { return .content(body) }
    guard let content = coding.decoded(body[...]) else { return .closed(coding.name) }
    return .content(content)
  }

  /// A text in the charset that `fields` name; nil when that is one not known here, or one that lacks a character.
  package static func bytes(of text: String, as fields: HTTPFields) -> [UInt8]? {
    TextCharset.encode(Array(text.utf8), as: fields)
  }
}
