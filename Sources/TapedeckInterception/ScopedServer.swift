internal import FoundationNetworking

/// Takes the requests of the run with its number.
final class ScopedServer<Slot: SlotNumber>: Server {
  override class func canInit(with request: URLRequest) -> Bool {
    guard let scope = Interception.scope, scope.number == Slot.number, scope.interception.takes(request)
    else {
      return false
    }
    return scope.mayStart()
  }

  override class func startingInterception(of request: URLRequest) -> StartingInterception {
    InterceptionScope.started(Slot.number).map { .found($0) }
      ?? .lost("the scope of Interception.run in which this request was made is over")
  }
}

/// The classes of all numbers.
enum ScopedServers {
  static func makeClasses() -> [Server.Type] {
    func scoped<Slot: SlotNumber>(_ slot: Slot.Type) -> Server.Type { ScopedServer<Slot>.self }
    return (0..<InterceptionScope.count).map { scoped(slotType($0)) }
  }
}
