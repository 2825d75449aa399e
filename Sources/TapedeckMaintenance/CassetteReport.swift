import TapedeckFormats
package import TapedeckHTTP
import TapedeckRecording

/// Why there is no report, where that is not a failure to read a cassette.
package enum CassetteReportError: Error, CustomStringConvertible {
  /// There is no cassette at the path.
  case absent(String)
  /// The exchanges of one origin are to be chosen, or have been chosen wrongly.
  case origin(String)

  package var description: String {
    switch self {
    case .absent(let path): "there is no cassette at \(path)"
    case .origin(let problem): problem
    }
  }
}

/// What a person wants to know of cassettes, as JSON, by their paths. Changes no file.
package enum CassetteReport {
  /// The cassettes in a folder, by name.
  package static func cassettes(in folder: String) throws -> [JSONValue] {
    try CassetteSummary.all(in: folder).map(\.json)
  }

  /// What may be a secret in a cassette, and the commands that hide or keep it.
  package static func finds(in path: String) throws -> JSONValue {
    try found {
      let units = try SecretScan(path).units
      let finds = units.flatMap(\.finds)
      let commands = finds.isEmpty ? [] : SecretAdvice.commands(finds, path: path)
      return [
        "files": JSONValue(units.reduce(0) { $0 + $1.fileCount }), "finds": .array(finds.map(\.json)),
        "problems": JSONValue(units.flatMap(\.problems)),
        "commands": .array(commands.map { JSONValue(String($0.drop { $0 == " " })) }),
      ]
    }
  }

  /// How the second cassette differs from the first.
  package static func comparison(of path: String, with other: String) throws -> JSONValue {
    try found { try CassetteComparison(try Cassette.open(path), try Cassette.open(other)).json }
  }

  /// What `promote` would write, and how well it reproduces the recording.
  /// - Parameters:
  ///   - host: chooses one of several origins.
  ///   - minimum: leaves out resources of less confidence, from 0 to 1.
  package static func promotion(of path: String, host: String?, minimum: Double) throws -> JSONValue {
    try found {
      do {
        let origin = try PromotedOrigin(of: try Cassette.open(path), only: host)
        let review = try PromotionReview(origin.promotion, minimum: minimum)
        return [
          "resources": review.resourcesJSON, "exchanges": review.exchangesJSON, "document": review.document,
          "advice": JSONValue(origin.advice),
        ]
      } catch let error as PromotionError {
        throw CassetteReportError.origin("\(error)")
      }
    }
  }

  private static func found(_ report: () throws -> JSONValue) throws -> JSONValue {
    do { return try report() } catch let error as CassetteError {
      if case .absent(let path) = error { throw CassetteReportError.absent(path) }
      throw error
    }
  }
}

extension CassetteSummary {
  /// For programs.
  package var json: JSONValue {
    let members: [JSONMember] = [
      JSONMember("name", JSONValue(name)), JSONMember("interactions", JSONValue(interactions)),
      JSONMember("bytes", JSONValue(bytes)), JSONMember("upstream", JSONValue(upstream)),
      JSONMember("sealed", .bool(!hasJournal)), JSONMember("problem", JSONValue(problem)),
    ]
    return .object(members + (origins.map { [JSONMember("origins", JSONValue($0))] } ?? []))
  }
}
