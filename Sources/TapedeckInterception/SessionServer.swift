internal import FoundationNetworking
internal import Synchronization

/// Takes the requests of the sessions whose configuration names it, for one interception.
final class SessionServer<Slot: SlotNumber>: Server {
  override class func canInit(with request: URLRequest) -> Bool {
    SessionServers.interception(Slot.number)?.takes(request) ?? true
  }

  override class func startingInterception(of request: URLRequest) -> StartingInterception {
    SessionServers.interception(Slot.number).map { .found($0) }
      ?? .lost("the Interception that this session was made for is gone; keep it as long as the session")
  }
}

/// Which interception a class stands for. Numbers are never used twice: a session may outlive its interception.
enum SessionServers {
  private struct Entry {
    weak var interception: Interception?
  }

  private static let entries = Mutex<[Entry]>([])

  static func makeClass(for interception: Interception) -> Server.Type {
    func server<Slot: SlotNumber>(_ slot: Slot.Type) -> Server.Type { SessionServer<Slot>.self }
    let number = entries.withLock { entries in
      entries.append(Entry(interception: interception))
      return entries.count - 1
    }
    return server(slotType(number))
  }

  static func interception(_ number: Int) -> Interception? {
    entries.withLock { $0[number].interception }
  }
}
