// What `Tools/bench` measures of routes: `tapedeck-mock serve READY-FILE`, a server with one dynamic route, and
// `tapedeck-mock serialise`, entities written by reflection.
import Glibc
import Tapedeck

/// Four properties, of the kinds that entities have.
struct Item: Storable, Serializable {
  let id: String
  let name: String
  let price: Int
  let isAvailable: Bool

  init(id: String, store: Store) {
    self.id = id
    name = "item \(id)"
    price = 125
    isAvailable = true
  }
}

func end(_ text: String) -> Never {
  _ = write(STDERR_FILENO, text + "\n", text.utf8.count + 1)
  exit(2)
}

func serve(_ readyFile: String) throws {
  // Before the server starts its threads, which inherit it.
  var ending = sigset_t()
  sigemptyset(&ending)
  sigaddset(&ending, SIGTERM)
  pthread_sigmask(SIG_BLOCK, &ending, nil)

  let store = Store()
  store.create(Item.self, number: 1000)
  var configuration = ProxyConfiguration()
  configuration.listen = "127.0.0.1:0"
  configuration.threads = 1
  // As in the replay that it is compared with.
  configuration.requestLogBytes = 0
  configuration.router.get("/item/:id") { request in
    store.find(Item.self, id: request.components["id"] ?? "")
  }
  let server = try ProxyServer(configuration)
  let partial = readyFile + ".partial"
  guard let file = fopen(partial, "w") else { end("cannot write \(partial)") }
  fputs(server.baseURL, file)
  fclose(file)
  rename(partial, readyFile)
  var signal: Int32 = 0
  sigwait(&ending, &signal)
  _ = try server.stop()
}

/// The median of many runs, in milliseconds.
func serialise() throws {
  let store = Store()
  let items = store.create(Item.self, number: 1000)
  let clock = ContinuousClock()
  var bytes = 0
  var times: [Double] = []
  for _ in 0..<200 {
    let took = try clock.measure { bytes += try items.jsonBytes()?.count ?? 0 }
    times.append(Double(took.components.attoseconds) / 1e15)
  }
  times.sort()
  print(#"{"milliseconds": \#(times[100]), "bytes": \#(bytes / 200)}"#)
}

switch CommandLine.arguments.dropFirst().first {
case "serve" where CommandLine.arguments.count == 3: try serve(CommandLine.arguments[2])
case "serialise": try serialise()
default: end("usage: tapedeck-mock serve READY-FILE | serialise")
}
