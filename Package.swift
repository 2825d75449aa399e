// swift-tools-version: 6.1
// The floor plan: one target a room, and the doors between rooms are the `dependencies` (README, "The house").
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Whether this is a build for `Tools/fuzz`, in which the rooms tell libFuzzer where they have been.
let isFuzzing = Context.environment["TAPEDECK_FUZZ"] != nil
let watched: [SwiftSetting] = isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer"])] : []

func room(_ name: String, _ doors: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
  .target(name: name, dependencies: doors, resources: resources, swiftSettings: strict + watched)
}

func tests(of name: String, _ doors: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + doors,
    swiftSettings: strict)
}

/// The laws of `Tests/Fuzz`: in the tests, or under libFuzzer.
let laws: [Target.Dependency] = [
  "TapedeckFormats", "TapedeckHTTP", "TapedeckMocking", "TapedeckOverrides", "TapedeckProxy",
  "TapedeckRecording", "TapedeckRedaction", "TapedeckSockets", "TapedeckUpstream", "TestSupport",
]
let fuzzing: [Target] =
  isFuzzing
  ? [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
      name: "tapedeck-fuzz", dependencies: laws + ["CFuzzer"], path: "Tests/Fuzz",
      exclude: ["Corpus", "CFuzzer", "CorpusTests.swift"], swiftSettings: strict),
  ]
  : [
    .testTarget(
      name: "FuzzTests", dependencies: laws, path: "Tests/Fuzz", exclude: ["Corpus", "CFuzzer", "Fuzzer"],
      swiftSettings: strict)
  ]

let targets: [Target] =
  [
    .target(name: "CSystem"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstandard", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    room("TapedeckHTTP"),
    room("TapedeckSockets", ["CSSL", "CSystem"]),
    room("TapedeckServer", ["TapedeckHTTP", "TapedeckSockets"]),
    room("TapedeckUpstream", ["TapedeckHTTP", "TapedeckSockets", "CCurl"]),
    room(
      "TapedeckRedaction", ["TapedeckHTTP", "CBrotli", "CCrypto", "CSystem", "CZlib", "CZstandard"],
      resources: [.embedInCode("Rules/shapes.json")]),
    room("TapedeckRecording", ["TapedeckHTTP", "TapedeckRedaction", "CSystem"]),
    room(
      "TapedeckObjectStore", ["TapedeckHTTP", "TapedeckRecording", "TapedeckRedaction", "TapedeckUpstream"]),
    room("TapedeckFormats", ["CYAML", "TapedeckHTTP", "TapedeckRedaction", "TapedeckRecording"]),
    room("TapedeckMocking", ["TapedeckHTTP"]),
    room("TapedeckResources", ["TapedeckHTTP", "TapedeckMocking"]),
    room(
      "TapedeckOverrides",
      ["TapedeckHTTP", "TapedeckSockets", "TapedeckRedaction", "TapedeckMocking", "TapedeckResources"],
      resources: [.embedInCode("overrides.schema.json")]),
    room(
      "TapedeckMaintenance",
      ["TapedeckHTTP", "TapedeckRedaction", "TapedeckRecording", "TapedeckFormats", "TapedeckOverrides"]),
    room(
      "TapedeckProxy",
      [
        "TapedeckHTTP", "TapedeckSockets", "TapedeckServer", "TapedeckUpstream", "TapedeckRedaction",
        "TapedeckRecording", "TapedeckFormats", "TapedeckMocking", "TapedeckResources",
        "TapedeckOverrides",
      ]),
    room(
      "TapedeckAdmin",
      [
        "TapedeckHTTP", "TapedeckSockets", "TapedeckServer", "TapedeckMaintenance", "TapedeckOverrides",
        "TapedeckProxy",
      ],
      resources: [.embedInCode("Page")]),
    room("TapedeckInterception", ["TapedeckHTTP", "TapedeckMocking"]),
    room(
      "Tapedeck",
      [
        "TapedeckAdmin", "TapedeckHTTP", "TapedeckInterception", "TapedeckMocking", "TapedeckOverrides",
        "TapedeckProxy", "TapedeckRecording", "TapedeckRedaction", "TapedeckResources",
      ]),
    // Links Swift Testing, so nothing but tests depends on it.
    room("TapedeckTesting", ["Tapedeck", "TapedeckHTTP", "TapedeckMocking", "TapedeckProxy"]),
    .executableTarget(
      name: "TapedeckCLI",
      dependencies: [
        "NewsFeed", "TapedeckAdmin", "TapedeckFormats", "TapedeckHTTP", "TapedeckMaintenance",
        "TapedeckMocking", "TapedeckObjectStore", "TapedeckOverrides", "TapedeckProxy", "TapedeckRecording",
        "TapedeckRedaction", "TapedeckSockets",
      ],
      resources: [.embedInCode("Run/node-preload.cjs")], swiftSettings: strict),

    room("NewsFeed", ["TapedeckHTTP", "TapedeckMocking"]),
    .executableTarget(name: "NewsFeedServer", dependencies: ["NewsFeed", "Tapedeck"], swiftSettings: strict),

    // For `Tools/bench`, as a user of the library would write it.
    .executableTarget(
      name: "tapedeck-mock", dependencies: ["Tapedeck"], path: "Tools/benchmarks/mock", swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["CSSL"], path: "Tests/TestSupport", swiftSettings: strict),
    tests(of: "TapedeckHTTP"),
    tests(of: "TapedeckServer", ["TapedeckHTTP", "TapedeckSockets"]),
    tests(of: "TapedeckUpstream", ["CCurl", "TapedeckHTTP", "TapedeckSockets"]),
    .target(
      name: "RecordingTestSupport", dependencies: ["TapedeckHTTP", "TapedeckRecording"],
      path: "Tests/RecordingTestSupport", swiftSettings: strict),
    tests(of: "TapedeckRedaction", ["TapedeckHTTP"]),
    .testTarget(
      name: "TapedeckObjectStoreTests",
      dependencies: ["TapedeckObjectStore", "TapedeckRedaction", "TapedeckUpstream"],
      exclude: ["make_signed_requests.py", "signed-requests.jsonl"], swiftSettings: strict),
    tests(of: "TapedeckRecording", ["RecordingTestSupport", "TapedeckHTTP", "TapedeckRedaction"]),
    tests(
      of: "TapedeckFormats",
      ["RecordingTestSupport", "TapedeckHTTP", "TapedeckRecording", "TapedeckRedaction"]),
    tests(
      of: "TapedeckMaintenance",
      ["RecordingTestSupport", "TapedeckFormats", "TapedeckHTTP", "TapedeckRecording", "TapedeckRedaction"]),
    .target(
      name: "MockingSupport", dependencies: ["TapedeckHTTP", "TapedeckMocking"], path: "Tests/MockingSupport",
      swiftSettings: strict),
    tests(of: "TapedeckMocking", ["MockingSupport", "TapedeckHTTP"]),
    tests(of: "TapedeckResources", ["MockingSupport", "TapedeckHTTP", "TapedeckMocking"]),
    tests(
      of: "TapedeckOverrides",
      ["TapedeckHTTP", "TapedeckMocking", "TapedeckResources", "TapedeckSockets"]),
    tests(of: "TapedeckInterception", ["TapedeckHTTP", "TapedeckMocking", "TapedeckProxy"]),
    tests(
      of: "TapedeckProxy",
      [
        "TapedeckFormats", "TapedeckHTTP", "TapedeckMocking", "TapedeckOverrides", "TapedeckRecording",
        "TapedeckRedaction", "TapedeckSockets",
      ]),
    tests(of: "TapedeckAdmin", ["TapedeckHTTP", "TapedeckProxy", "TapedeckSockets"]),
    tests(of: "TapedeckCLI"),
    .testTarget(
      name: "ExampleTests", dependencies: ["Tapedeck", "TapedeckTesting"], exclude: ["Mocks"],
      swiftSettings: strict),
    .testTarget(name: "MockingExampleTests", dependencies: ["TapedeckMocking"], swiftSettings: strict),
    .testTarget(
      name: "NewsFeedTests", dependencies: ["NewsFeed", "Tapedeck", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "ArchitectureTests", swiftSettings: strict),
  ] + fuzzing

/// What `Tools/test ROOM` builds: the tests of one room and what they stand on. Everything else is left out, so that
/// a change to one room is tested without compiling the others.
@MainActor func needed(for room: String) -> [Target] {
  var names: Set<String> = []
  var open = ["\(room)Tests"]
  while let name = open.popLast() {
    guard names.insert(name).inserted, let target = targets.first(where: { $0.name == name }) else {
      continue
    }
    for case .byNameItem(let dependency, _) in target.dependencies { open.append(dependency) }
  }
  return targets.filter { names.contains($0.name) }
}

let room = Context.environment["TAPEDECK_ROOM"]

let package = Package(
  name: "tapedeck",
  products: room != nil
    ? []
    : [
      .executable(name: "tapedeck", targets: ["TapedeckCLI"]),
      .executable(name: "newsfeed", targets: ["NewsFeedServer"]),
      .library(name: "Tapedeck", targets: ["Tapedeck"]),
      // Routers, stores and resources without the proxy, for unit tests.
      .library(name: "TapedeckMocking", targets: ["TapedeckMocking", "TapedeckResources"]),
      // Traits of Swift Testing, and a helper for XCTest.
      .library(name: "TapedeckTesting", targets: ["TapedeckTesting"]),
    ],
  targets: room.map(needed) ?? targets
)
