internal import TapedeckHTTP
internal import TapedeckSockets

/// What a command in namespaces of its own reached for, and whether it had any other way out.
package struct IsolationReport: Sendable, Equatable {
  /// An origin that the command connected to.
  package struct Reach: Sendable, Equatable {
    package enum Server: String, Sendable {
      case proxy
      /// Its bytes passed unread, as `--share` allows.
      case shared
      /// It was refused, being neither HTTP/1.1 nor TLS.
      case nobody
    }

    /// `HOST:PORT`.
    package var origin: String
    package var connections: Int
    package var server: Server

    package init(origin: String, connections: Int, server: Server) {
      (self.origin, self.connections, self.server) = (origin, connections, server)
    }
  }

  /// Why the command ran with proxy variables instead; `nil` if it was isolated.
  package var refusal: String?
  /// The ways out besides the proxy, as `HOST:PORT`.
  package var shares: [String]
  /// The ports that are served; `nil` for all.
  package var ports: [Int]?
  /// In the order of their names.
  package var reached: [Reach]
  /// Connections to origins beyond those of `reached`, which is bounded.
  package var unlistedConnections: Int
  /// Names that were looked up, and not connected to at a port that is served.
  package var unreachedNames: [String]

  package init(
    refusal: String? = nil, shares: [String] = [], ports: [Int]? = nil, reached: [Reach] = [],
    unlistedConnections: Int = 0, unreachedNames: [String] = []
  ) {
    (self.refusal, self.shares, self.ports) = (refusal, shares, ports)
    (self.reached, self.unlistedConnections) = (reached, unlistedConnections)
    self.unreachedNames = unreachedNames
  }

  // MARK: For people

  private static let maximumListed = 20

  /// What it came to, first of all which ways out there were.
  package var text: String {
    if let refusal { return "not isolated: \(refusal)" }
    return (["isolated: the command reached nothing but this proxy\(Self.also(shares))"] + lines)
      .joined(separator: "\n")
  }

  /// What the summary says of the network.
  package var lines: [String] {
    let foreign = reached.filter { $0.server == .nobody }
    var lines: [String] = []
    if !reached.isEmpty { lines.append("isolated: reached for \(Self.list(reached.map(\.origin)))") }
    if unlistedConnections > 0 {
      lines.append(
        "isolated: connections to origins beyond the first \(reached.count): \(unlistedConnections)")
    }
    if !foreign.isEmpty {
      lines.append(
        "isolated: refused as neither HTTP/1.1 nor TLS (--share lets it through): "
          + Self.list(foreign.map(\.origin)))
    }
    if !unreachedNames.isEmpty {
      let why = ports == nil ? "connected to" : "connected to at a port that --isolate-ports serves"
      lines.append("isolated: looked up, and not \(why): \(Self.list(unreachedNames))")
    }
    return lines
  }

  /// As the end of a sentence; empty for nothing.
  package static func also(_ items: [String]) -> String { items.isEmpty ? "" : " and \(list(items))" }

  package static func list(_ items: [String]) -> String {
    let rest = items.count - maximumListed
    return items.prefix(maximumListed).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  // MARK: For programs

  var json: JSONValue {
    [
      "isolated": JSONValue(refusal == nil), "refusal": refusal.map { JSONValue($0) } ?? .null,
      "otherWaysOut": .array(shares.map { JSONValue($0) }),
      "ports": ports.map { .array($0.map { JSONValue($0) }) } ?? .null,
      "reached": .array(
        reached.map { one in
          [
            "origin": JSONValue(one.origin), "connections": JSONValue(one.connections),
            "server": JSONValue(one.server.rawValue),
          ]
        }),
      "unlistedConnections": JSONValue(unlistedConnections),
      "unreachedNames": .array(unreachedNames.map { JSONValue($0) }),
    ]
  }
}
