internal import Synchronization

/// Gives every name an IPv4 address of its own, so that the address of a connection tells the name it is for.
///
/// The addresses are those of 198.18.0.0/15, which is set aside for benchmarks (RFC 2544, Appendix C.2.2), so that no
/// real service has one. The first is that of the network itself.
package final class NameTable: Sendable {
  private static let first: UInt32 = 0xC612_0002  // 198.18.0.2
  private static let last: UInt32 = 0xC613_FFFE  // 198.19.255.254

  private struct State {
    var addresses: [[UInt8]: UInt32] = [:]
    var names: [[UInt8]] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// The address of a name, in lower case and without a final dot; `nil` when all addresses are taken.
  package func address(of name: [UInt8]) -> UInt32? {
    state.withLock { state in
      if let known = state.addresses[name] { return known }
      let next = Self.first + UInt32(state.names.count)
      guard next <= Self.last else { return nil }
      state.addresses[name] = next
      state.names.append(name)
      return next
    }
  }

  /// The name that was given an address; `nil` for any other address.
  package func name(of address: UInt32) -> [UInt8]? {
    state.withLock { state in
      guard address >= Self.first, address - Self.first < state.names.count else { return nil }
      return state.names[Int(address - Self.first)]
    }
  }

  /// Every name that was asked for, in the order of the questions.
  package var names: [[UInt8]] { state.withLock { $0.names } }
}
