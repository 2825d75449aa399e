// Kakapo's example backend as a server of its own: `newsfeed [--port N] [--scenario NAME]`.
import Glibc
import NewsFeed
import Tapedeck

let usage = "usage: newsfeed [--port N] [--scenario default|small|empty]\n"

func say(_ text: String) { _ = write(STDERR_FILENO, text, text.utf8.count) }

func end(_ text: String, _ code: Int32) -> Never {
  say(text)
  exit(code)
}

var configuration = ProxyConfiguration()
configuration.listen = "127.0.0.1:8080"
var scenario = Scenarios.defaultName
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
  switch (word, words.popFirst()) {
  case ("--port", let number?): configuration.listen = "127.0.0.1:\(number)"
  case ("--scenario", let name?): scenario = name
  default: end(usage, word == "--help" ? 0 : 2)
  }
}

// Blocked and waited for, instead of ending the process, so that responses in progress are completed.
var ending = sigset_t()
sigemptyset(&ending)
sigaddset(&ending, SIGINT)
sigaddset(&ending, SIGTERM)
pthread_sigmask(SIG_BLOCK, &ending, nil)

do {
  let backend = try NewsFeedBackend(scenario: scenario)
  configuration.router = Router("https://kakapobook.com/api/")
  backend.addRoutes(to: configuration.router)
  configuration.router.webSocket("/echo") { socket in
    for await message in socket { try await socket.send(message) }
  }
  let server = try ProxyServer(configuration)
  say("newsfeed: listening on \(server.baseURL)/api/\n")
  var signal: Int32 = 0
  sigwait(&ending, &signal)
  _ = try server.stop()
} catch {
  end("newsfeed: \(error)\n", 1)
}
