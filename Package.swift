// swift-tools-version: 6.2
import Foundation
import PackageDescription

// CI turns every warning of this package into an error; a user's newer compiler must not.
let strictness: [SwiftSetting] =
  Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + strictness

/// The tests run the optimized program, as it ships. Their own code is compiled as in a debug build, in
/// half of the time. No product has a test target, so a package that depends on this one gets no flag.
let testSettings: [SwiftSetting] =
  settings + [
    .unsafeFlags(
      ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"],
      .when(configuration: .release))
  ]

/// Whether a C library's header is installed: what is missing is left out, and the command that
/// needs it names the package. SwiftPM remembers the answer; after installing a library later,
/// remove `~/.cache/org.swift.swiftpm/manifests`.
func isInstalled(_ header: String) -> Bool {
  ["/usr/include", "/usr/local/include"].contains {
    FileManager.default.fileExists(atPath: "\($0)/\(header)")
  }
}
let hasSndFile = isInstalled("sndfile.h")
let hasSoxr = isInstalled("soxr.h")
let hasDBus = isInstalled("dbus-1.0/dbus/dbus.h")
let soundLibraries: [Target] =
  (hasSndFile ? [.systemLibrary(name: "CSndFile", providers: [.apt(["libsndfile1-dev"])])] : [])
  + (hasSoxr ? [.systemLibrary(name: "CSoxr", providers: [.apt(["libsoxr-dev"])])] : [])
let busLibrary: [Target] =
  hasDBus
  ? [.systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])])] : []
let soundSettings: [SwiftSetting] =
  (hasSndFile ? [.define("SNDFILE")] : []) + (hasSoxr ? [.define("SOXR")] : [])

/// The fuzzer of profile files, for `Tests/Fuzz/run` alone: it needs flags of its own.
let fuzzer: [Target] =
  Context.environment["AUDIOSESSION_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "profile-fuzzer", dependencies: ["SessionProfiles", "SessionCore", "PulseTypes"],
      path: "Tests/Fuzz/Sources", swiftSettings: settings)
  ]

/// The targets in reading order; an import never points down this list.
let package = Package(
  name: "AudioSession",
  products: [
    .library(name: "AudioSession", targets: ["AudioSession", "SessionProfiles"]),
    .library(name: "AudioSessionFoundation", targets: ["AudioSessionFoundation"]),
    .library(name: "AudioStreams", targets: ["AudioStreams"]),
    .library(name: "Pulse", targets: ["Pulse", "PulseTypes"]),
    .library(name: "PulseSandbox", targets: ["PulseSandbox"]),
    .executable(name: "audiosession", targets: ["audiosession"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(name: "JSONCoding", swiftSettings: settings),
    .target(name: "POSIX", swiftSettings: settings),
    .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
    .target(name: "CPulsePoll"),
    .target(name: "PulseTypes", swiftSettings: settings),
    .target(
      name: "Pulse",
      dependencies: [
        "CPulse", "CPulsePoll", "JSONCoding", "POSIX", "PulseTypes",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "SessionCore", dependencies: ["JSONCoding", "PulseTypes"], swiftSettings: settings),
    .target(
      name: "SessionProfiles",
      dependencies: ["POSIX", "SessionCore", "PulseTypes"],
      resources: [.embedInCode("Profiles")],
      swiftSettings: settings),
    .target(
      name: "AudioSession",
      dependencies: [
        "JSONCoding", "POSIX", "Pulse", "PulseTypes", "SessionCore", "SessionProfiles",
        .product(name: "Logging", package: "swift-log"),
      ],
      // What the session calls stays on the session's thread: no hop to a pool and back.
      swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .target(
      name: "AudioSessionFoundation", dependencies: ["AudioSession"], swiftSettings: settings),
    .target(name: "CAudioKernel"),
    .target(
      name: "CPulseStream",
      dependencies: ["CAudioKernel", "CPulsePoll"] + busLibrary.map { .target(name: $0.name) },
      cSettings: hasDBus ? [.define("PS_DBUS")] : [],
      linkerSettings: [.linkedLibrary("pulse")]),
    .target(
      name: "AudioStreams",
      dependencies: [
        "AudioSession", "CAudioKernel", "CPulseStream", "JSONCoding", "POSIX", "Pulse",
        "PulseTypes", "SessionCore",
      ] + soundLibraries.map { .target(name: $0.name) },
      swiftSettings: settings + soundSettings),
    .target(
      name: "PulseSandbox", dependencies: ["POSIX", "Pulse", "PulseTypes"], swiftSettings: settings),
    .target(name: "CThreadPool"),
    .executableTarget(
      name: "audiosession",
      dependencies: [
        "AudioSession", "AudioStreams", "CThreadPool", "JSONCoding", "POSIX", "Pulse",
        "PulseSandbox", "PulseTypes", "SessionCore", "SessionProfiles",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [.embedInCode("Pages")],
      swiftSettings: settings),
    .executableTarget(
      name: "audiosession-benchmark",
      dependencies: [
        "AudioSession", "AudioStreams", "CPulseStream", "JSONCoding", "POSIX", "Pulse",
        "PulseSandbox", "PulseTypes", "SessionProfiles",
      ] + soundLibraries.map { .target(name: $0.name) },
      resources: [.embedInCode("Bare/bare.c")],
      swiftSettings: settings + soundSettings),
    // For test targets alone: no product has it.
    .target(
      name: "TestSupport", dependencies: ["POSIX", "Pulse", "PulseSandbox", "PulseTypes"],
      path: "Tests/TestSupport",
      swiftSettings: testSettings),
    .testTarget(
      name: "JSONCodingTests", dependencies: ["JSONCoding"], swiftSettings: testSettings),
    .testTarget(
      name: "PulseTests",
      dependencies: ["POSIX", "Pulse", "PulseTypes", "PulseSandbox", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "SessionCoreTests",
      dependencies: ["JSONCoding", "SessionCore", "PulseTypes", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "SessionProfilesTests",
      dependencies: ["POSIX", "SessionProfiles", "SessionCore", "PulseTypes", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PulseSandboxTests",
      dependencies: ["POSIX", "Pulse", "PulseSandbox", "PulseTypes", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "AudioSessionTests",
      dependencies: [
        "AudioSession", "AudioSessionFoundation", "JSONCoding", "POSIX", "Pulse", "PulseSandbox",
        "PulseTypes", "SessionCore",
        "SessionProfiles", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: testSettings),
    .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
    .testTarget(
      name: "AudioStreamsTests",
      dependencies: [
        "AudioSession", "AudioStreams", "CAllocationCounter", "CAudioKernel", "CPulseStream",
        "POSIX", "Pulse", "PulseSandbox", "PulseTypes", "SessionCore", "TestSupport",
      ] + soundLibraries.map { .target(name: $0.name) },
      swiftSettings: testSettings + soundSettings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "AudioSession", "AudioStreams", "JSONCoding", "POSIX", "PulseSandbox", "PulseTypes",
        "SessionCore", "SessionProfiles", "TestSupport", "audiosession", "audiosession-benchmark",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: testSettings),
  ] + soundLibraries + busLibrary + fuzzer,
  swiftLanguageModes: [.v6]
)
