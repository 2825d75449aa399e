// The yardstick for loading: what Foundation's JSONDecoder takes for the interaction files of a cassette, as plain
// structs. Reading the files is not counted, nor anything that makes an answer of what was decoded.
import Foundation

struct Interaction: Decodable {
  struct Request: Decodable {
    var method: String
    var target: String
    var headers: [[String?]]
  }

  struct Response: Decodable {
    var version: String
    var status: Int
    var reason: String
    var headers: [[String?]]
    var body: Body
  }

  struct Body: Decodable {
    var json: Item
    var style: String
  }

  struct Item: Decodable {
    struct Owner: Decodable {
      var login: String
      var admin: Bool
    }

    var id: Int
    var name: String
    var price: Double
    var available: Bool
    var tags: [String]
    var owner: Owner
    var created: String
    var text: String
  }

  struct Facts: Decodable {
    var recordedAt: String
    var date: String
    var durationMilliseconds: Double
    var remoteAddress: String
  }

  var request: Request
  var response: Response
  var volatile: Facts
}

let folder = URL(filePath: CommandLine.arguments[1])
let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
let files = try names.filter { $0.hasSuffix(".json") && $0 != "cassette.json" }.map {
  try Data(contentsOf: folder.appending(path: $0))
}
let decoder = JSONDecoder()
var interactions: [Interaction] = []
interactions.reserveCapacity(files.count)
let took = try ContinuousClock().measure {
  for file in files { interactions.append(try decoder.decode(Interaction.self, from: file)) }
}
print(
  "{\"milliseconds\": \(took / .milliseconds(1)), \"interactions\": \(interactions.count),",
  "\"bytes\": \(files.reduce(0) { $0 + $1.count })}")
