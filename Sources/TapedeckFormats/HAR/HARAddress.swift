/// Addresses as HAR writes them: without the port.
enum HARAddress {
  static func withoutPort(_ address: String?) -> String? {
    guard let address, !address.isEmpty else { return nil }
    if address.hasPrefix("["), let close = address.firstIndex(of: "]") {
      return String(address[address.index(after: address.startIndex)..<close])
    }
    let colons = address.utf8.count { $0 == UInt8(ascii: ":") }
    return colons == 1 ? String(address.prefix { $0 != ":" }) : address
  }
}
