internal import Glibc
internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckObjectStore
internal import TapedeckSockets

extension Option {
  static let offline = Option(
    "--offline", help: "take s3:// cassettes from the local cache, as they were when last seen; ask no store")
  static let cacheSize = Option(
    "--cache-size", "MIB", help: "the most that the local cache of s3:// cassettes holds", default: "10240")
  static let follow = Option(
    "--follow", "SECONDS", help: "look so often whether the s3:// cassette has changed, and load it anew")

  /// Of every verb that reads cassettes.
  static let store: [Option] = [.offline, .cacheSize]
}

/// The cassettes in object stores that the command line names, each read once.
enum RemoteCassettes {
  private struct Choice {
    var isOffline = false
    var cacheBytes = ObjectCache.standardLimitBytes
  }

  private static let choice = Mutex(Choice())
  /// What is read stays in the cache while the process runs.
  private static let opened = Mutex<[String: CachedCassette]>([:])

  static func isMeant(by name: String) -> Bool { StoreAddress.isMeant(by: name) }

  static var isOffline: Bool { choice.withLock { $0.isOffline } }

  static func choose(_ arguments: Arguments) throws(UsageError) {
    var chosen = Choice()
    chosen.isOffline = arguments.has(.offline)
    try arguments.set(&chosen.cacheBytes, to: .cacheSize, in: 1...1 << 30, times: 1 << 20)
    choice.withLock { [chosen] in $0 = chosen }
  }

  static func remote(_ name: String) throws -> RemoteCassette {
    let chosen = choice.withLock { $0 }
    let address: StoreAddress
    do throws(StoreError) { address = try StoreAddress(name) } catch { throw UsageError("\(error)") }
    return try RemoteCassette(
      address, surroundings, try ObjectCache(root: try cacheFolder(), limitBytes: chosen.cacheBytes),
      isOffline: chosen.isOffline)
  }

  /// The local folder of a cassette, for reading; `nil` if there is none.
  static func folderIfThere(_ name: String) throws -> String? {
    if let known = opened.withLock({ $0[name] }) { return known.folder }
    let progress = Progress("fetching")
    defer { progress.finish() }
    guard let cassette = try remote(name).open(progress: { progress.set($0, of: $1) }) else { return nil }
    opened.withLock { $0[name] = cassette }
    return cassette.folder
  }

  /// The place whose cassette was read into a folder.
  static func place(of folder: String) -> String? {
    opened.withLock { $0.filter { $0.value.folder == folder }.keys.min() }
  }

  static func folder(_ name: String) throws -> String {
    guard let folder = try folderIfThere(name) else {
      throw Failure(
        "there is no cassette at \(name); record one with: "
          + "tapedeck record \(ShellWord.quoted(name)) --upstream URL")
    }
    return folder
  }

  /// A folder in which the cassette can be recorded or changed.
  static func record(_ name: String) throws -> RemoteRecording {
    guard !isOffline else {
      throw UsageError("--offline asks no store, so nothing can be written to \(name); leave it out")
    }
    let progress = Progress("fetching")
    defer { progress.finish() }
    let recording = try RemoteRecording(try remote(name)) { progress.set($0, of: $1) }
    progress.finish()
    for notice in recording.notices { Terminal.say("warning: \(notice)") }
    return recording
  }

  /// Seals a recording in its store, and says what that came to.
  static func publish(_ recording: RemoteRecording, as name: String) throws(StoreError) {
    let progress = Progress("publishing")
    defer { progress.finish() }
    let report = try recording.publish { progress.set($0, of: $1) }
    progress.finish()
    tell(report, name)
  }

  static func tell(_ report: PublishReport, _ name: String) {
    guard report.isChanged else { return Terminal.say("\(name) is as it was") }
    Terminal.say(
      "published \(name): \(HumanText.count(report.objects, "object")), \(HumanText.size(report.bytes))")
    if report.usedLock {
      Terminal.say("the store does not heed conditions (If-Match), so a lock object kept other writers away")
    }
  }

  /// The folder of the user's caches (XDG Base Directory Specification).
  private static func cacheFolder() throws(Failure) -> String {
    if let caches = Terminal.environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
      return "\(caches)/tapedeck"
    }
    if let home = Terminal.environment("HOME"), home.hasPrefix("/") { return "\(home)/.cache/tapedeck" }
    throw Failure("there is no folder for the cache: neither XDG_CACHE_HOME nor HOME is an absolute path")
  }

  private static let surroundings = StoreSurroundings(
    variable: { Terminal.environment($0) }, file: { try? [UInt8](contentsOf: $0) }, seconds: { time(nil) },
    milliseconds: { Int(MonotonicTime.now.nanoseconds / 1_000_000) })
}
