package import TapedeckHTTP

extension PromotionReview {
  /// For programs.
  /// - Parameter file: the overrides file that was written, if one was.
  package func json(file: String?) -> JSONValue {
    ["file": JSONValue(file), "resources": resourcesJSON, "exchanges": exchangesJSON]
  }

  var resourcesJSON: JSONValue {
    .array(
      verdicts.map { verdict in
        let resource = verdict.resource
        return [
          "id": JSONValue(resource.id), "path": JSONValue(resource.path), "taken": .bool(verdict.isTaken),
          "confidence": JSONValue((verdict.confidence * 100).rounded() / 100),
          "objects": JSONValue(resource.objectCount), "seen": JSONValue(resource.seen),
          "assumed": JSONValue(resource.assumed), "notes": JSONValue(resource.notes),
          "reproduced": JSONValue(verdict.reproduced), "answered": JSONValue(verdict.responded),
        ]
      })
  }

  var exchangesJSON: JSONValue {
    .array(
      zip(exchanges, outcomes).map { exchange, outcome in
        let word =
          outcome.resource == nil ? "cassette" : outcome.difference == nil ? "reproduced" : "differs"
        return [
          "file": JSONValue(exchange.file), "request": JSONValue(exchange.line), "outcome": JSONValue(word),
          "resource": JSONValue(outcome.resource), "difference": JSONValue(outcome.difference),
        ]
      })
  }
}
