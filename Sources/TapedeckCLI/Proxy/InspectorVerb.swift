internal import Glibc
internal import TapedeckHTTP

extension Option {
  static let printURL = Option("--print", help: "only print the URL")
}

extension Verb {
  static let inspector = Verb(
    name: "ui", group: .proxy, summary: "open the inspector page of a running proxy",
    synopsis: "--admin-port N|--admin-url URL",
    options: [.runningAdminPort, .adminURL, .caCertificate, .adminToken, .adminTokenFile, .printURL],
    examples: ["tapedeck ui --admin-port 9090", "tapedeck ui --admin-port 9090 --print"],
    notes: """
      The page shows every request with the decision of each link of the chain, and changes what the next one gets. The
      URL opens it once, within five minutes. --ui does the same at the start of record, replay, serve and run.
      """
  ) { arguments in
    guard arguments.positional.isEmpty else { throw UsageError("ui takes no arguments") }
    let admin = try RunningAdmin(arguments, verb: "ui")
    let response = try admin.send(.post, "/v1/ui/codes")
    guard let url = try JSONValue(parsing: response.body)["url"]?.text else {
      throw Failure("the admin API gave no URL; is it of another version?")
    }
    Terminal.out(Printable.line(url) + "\n")
    if !arguments.has(.printURL) { BrowserWindow.open(url) }
    return .good
  }
}

/// The browser of the person who runs the command, where there is a display.
enum BrowserWindow {
  /// The shell leaves at once, and the program goes on without anyone who waits for it.
  private static let script = "xdg-open \"$0\" >/dev/null 2>&1 &"

  /// Opens a URL, or leaves that to the person.
  static func open(_ url: String) {
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { Terminal.environment($0)?.isEmpty == false }
    guard hasDisplay, let shell = try? ChildProcess.start(["/bin/sh", "-c", script, url], variables: [:])
    else { return }
    waitpid(shell.pid, nil, 0)
  }
}
