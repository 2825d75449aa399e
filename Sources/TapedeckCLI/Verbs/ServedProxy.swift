internal import TapedeckAdmin
internal import TapedeckProxy

/// A proxy that runs, and who steers it.
struct ServedProxy {
  let proxy: ProxyServer
  private let admin: AdminServer?
  private let tokenFile: AdminTokenFile?

  /// Starts both. Throws when one of them cannot be; then neither runs.
  init(_ proxy: ProxyServer, _ settings: AdminSettings?) throws {
    self.proxy = proxy
    guard let settings else {
      (admin, tokenFile) = (nil, nil)
      return
    }
    let token = try settings.token ?? AdminToken.random()
    let admin = try AdminServer(proxy, port: settings.port, token: token)
    do {
      tokenFile = try Self.file(for: admin, token, settings)
      if let file = settings.readyFile { try OutputFile.write(Array(admin.url.utf8), to: file) }
    } catch {
      admin.stop()
      throw error
    }
    self.admin = admin
    Terminal.say("admin API on \(admin.url)" + (tokenFile.map { ", its token in \($0.path)" } ?? ""))
  }

  /// A token that was given is known to whoever needs it.
  private static func file(
    for admin: AdminServer, _ token: AdminToken, _ settings: AdminSettings
  ) throws -> AdminTokenFile? {
    if let path = settings.tokenFile {
      let file = AdminTokenFile(path: path)
      try file.write(token, makesFolder: false)
      return file
    }
    guard settings.token == nil else { return nil }
    let file = AdminTokenFile.standard(port: admin.port, environment: Terminal.environment)
    try file.write(token, makesFolder: true)
    return file
  }

  var baseURL: String { proxy.baseURL }

  func stop() throws -> ProxySummary {
    tokenFile?.remove()
    // Each in a time of its own: together they may take as long as the deadline.
    if let admin { StopDeadline.whileStopping { admin.stop() } }
    StopDeadline.whileStopping {
      proxy.stopServing(graceMilliseconds: StopDeadline.graceSeconds * 1000)
    }
    return try proxy.seal()
  }
}
