/// Responses to DNS queries (RFC 1035 §4) from a table of names.
///
/// Every name has an IPv4 address and nothing else: a query for another type gets a response without records, so that
/// clients fall back to IPv4. Special names keep their meaning (RFC 6761): `localhost` is this machine, and `invalid`
/// does not exist.
package enum DNSMessage {
  private enum Code: UInt8 {
    case good = 0
    case formatError = 1
    case serverFailure = 2
    case noSuchName = 3
    case notImplemented = 4
    case refused = 5
  }

  private enum Kind {
    static let address: UInt16 = 1
    static let pointer: UInt16 = 12
    static let address6: UInt16 = 28
  }

  private static let headerBytes = 12
  private static let internetClass: UInt16 = 1
  /// Clients may keep an address for the whole run.
  private static let timeToLive: [UInt8] = [0, 0, 0x0E, 0x10]
  private static let loopback: [UInt8] = [127, 0, 0, 1]
  private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]

  /// The response to a query; `nil` where none is due, as to something that is a response itself.
  package static func response(to query: [UInt8], from table: NameTable) -> [UInt8]? {
    guard query.count >= headerBytes, query[2] & 0x80 == 0 else { return nil }
    guard query[2] & 0x78 == 0 else { return message(query, nil, .notImplemented) }
    guard query[4] == 0, query[5] == 1, let question = Question(query) else {
      return message(query, nil, .formatError)
    }
    guard question.networkClass == internetClass else { return message(query, question, .refused) }
    return records(for: question, query, table)
  }

  private static func records(for question: Question, _ query: [UInt8], _ table: NameTable) -> [UInt8] {
    let name = question.name
    if question.isWithin("invalid") { return message(query, question, .noSuchName) }
    if question.isWithin("arpa") { return reverse(question, query, table) }
    guard !name.isEmpty else { return message(query, question, .good) }
    if question.isWithin("localhost") {
      let record = [Kind.address: loopback, Kind.address6: loopback6][question.kind]
      return message(query, question, .good, record)
    }
    guard question.kind == Kind.address else { return message(query, question, .good) }
    guard let address = table.address(of: name) else { return message(query, question, .serverFailure) }
    return message(query, question, .good, bytes(address))
  }

  /// The name of one of our addresses, as `3.0.18.198.in-addr.arpa`.
  private static func reverse(_ question: Question, _ query: [UInt8], _ table: NameTable) -> [UInt8] {
    let labels = question.labels
    let parts = labels.prefix(4).compactMap { UInt8(String(decoding: $0, as: UTF8.self)) }
    guard labels.count == 6, parts.count == 4, labels[4] == Array("in-addr".utf8) else {
      return message(query, question, .noSuchName)
    }
    let address = parts.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let name = table.name(of: address) else { return message(query, question, .noSuchName) }
    return message(query, question, .good, question.kind == Kind.pointer ? wireName(name) : nil)
  }

  private static func bytes(_ address: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: address >> (24 - 8 * UInt32($0))) }
  }

  private static func wireName(_ name: [UInt8]) -> [UInt8] {
    name.split(separator: UInt8(ascii: ".")).flatMap { [UInt8($0.count)] + $0 } + [0]
  }

  /// - Parameter data: of the only record; `nil` for a response without records.
  private static func message(
    _ query: [UInt8], _ question: Question?, _ code: Code, _ data: [UInt8]? = nil
  ) -> [UInt8] {
    // A response to the same identifier and opcode, by an authority, with recursion available.
    var out = [query[0], query[1], query[2] & 0x79 | 0x84, 0x80 | code.rawValue]
    out += [0, question == nil ? 0 : 1, 0, data == nil ? 0 : 1, 0, 0, 0, 0]
    guard let question else { return out }
    out += query[headerBytes..<question.end]
    guard let data else { return out }
    // The name is that of the question (RFC 1035 §4.1.4).
    out += [0xC0, UInt8(headerBytes)] + query[(question.end - 4)..<question.end] + timeToLive
    return out + [UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
  }

  /// The only question of a query.
  private struct Question {
    /// In lower case.
    private(set) var labels: [[UInt8]] = []
    let kind: UInt16
    let networkClass: UInt16
    /// The offset after it.
    let end: Int

    /// `nil` for what is not a question. Names are not compressed there, having nothing before them to point to.
    init?(_ query: [UInt8]) {
      var offset = headerBytes
      while true {
        guard offset < query.count, query[offset] < 64 else { return nil }
        let length = Int(query[offset])
        offset += 1
        if length == 0 { break }
        // RFC 1035 §2.3.4: a name has 255 bytes at most.
        guard offset + length < query.count, offset + length - headerBytes < 255 else { return nil }
        let label = query[offset..<(offset + length)]
        guard label.allSatisfy(Self.isAllowed) else { return nil }
        labels.append(label.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 })
        offset += length
      }
      guard offset + 4 <= query.count else { return nil }
      kind = UInt16(query[offset]) << 8 | UInt16(query[offset + 1])
      networkClass = UInt16(query[offset + 2]) << 8 | UInt16(query[offset + 3])
      end = offset + 4
    }

    /// Bytes that stand in the names of hosts, and the underscore of service names (RFC 2782).
    private static func isAllowed(_ byte: UInt8) -> Bool {
      switch byte | 0x20 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): true
      default: byte >= 0x30 && byte <= 0x39 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
    }

    var name: [UInt8] { Array(labels.joined(separator: [UInt8(ascii: ".")])) }

    func isWithin(_ domain: String) -> Bool { labels.last.map { $0 == Array(domain.utf8) } ?? false }
  }
}
