internal import TapedeckHTTP
internal import TapedeckRecording
import TapedeckRedaction

/// What every verb that writes a cassette may be told about it.
extension Arguments {
  /// What to compare; nil where nothing is said about it.
  func match() throws(UsageError) -> MatchSpec? {
    guard has(.match) else { return nil }
    do throws(MatchSpecError) { return try MatchSpec(all(.match)) } catch {
      throw UsageError("--match: \(error)")
    }
  }

  /// What to rewrite for clients.
  func rewriting() throws(UsageError) -> RewriteChoice {
    let opposites: [(Option, Option)] = [
      (.noRewrite, .rewrite), (.noRewrite, .rewriteBodies), (.noRewrite, .rewriteFields),
      (.noRewriteBodies, .rewriteBodies),
    ]
    for (one, other) in opposites where has(one) && has(other) {
      throw UsageError("\(other.name) and \(one.name) exclude each other; leave one of them out")
    }
    var choice = RewriteChoice()
    if has(.rewrite) || has(.noRewrite) { choice.isOn = has(.rewrite) }
    if has(.rewriteBodies) || has(.noRewriteBodies) { choice.rewritesBodies = has(.rewriteBodies) }
    for list in all(.rewriteFields) {
      do throws(HTTPFieldError) { try choice.addFields(list) } catch {
        throw UsageError("--rewrite-fields: \(error)")
      }
    }
    return choice
  }

  /// What to hide.
  func redaction() throws(UsageError) -> RedactionChoice {
    var choice = RedactionChoice()
    for text in all(.redact) {
      do throws(RedactionPatternError) { choice.redact.append(try RedactionPattern(text)) } catch {
        throw UsageError("--redact \(text.debugDescription) \(error)")
      }
    }
    choice.keep = all(.keep)
    guard has(.noRedact) else { return choice }
    guard choice == RedactionChoice() else {
      throw UsageError("--no-redact hides nothing, so --redact and --keep make no sense beside it")
    }
    choice.isOff = true
    return choice
  }
}
