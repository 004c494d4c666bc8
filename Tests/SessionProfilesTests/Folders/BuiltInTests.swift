import Glibc
import POSIX
import PulseTypes
import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// The profiles of the folder `profiles/`.
@Suite struct BuiltInTests {
  /// Nothing but the built-in ones.
  private static let environment = ["XDG_CONFIG_DIRS": "/nowhere"]
  private static let list = Profile.all(environment: environment)
  private static let names = list.filter { $0.source == .builtIn }.map(\.name)

  @Test func `the promised ones are there, and each is whole and says what it is for`() {
    #expect(
      Self.names == [
        "headset", "high-quality-stereo", "measurement", "music-low-latency", "podcast",
        "presentation", "speech-recognition", "voice-chat",
      ])
    for listing in Self.list {
      #expect(listing.error == nil)
      #expect(listing.description?.isEmpty == false, "\(listing.name)")
    }
  }

  @Test func `the program has what the folder has`() throws {
    for name in Self.names {
      let path = "\(packageFolder)/profiles/\(name).toml"
      #expect(try Profile.text(path) == Profile.text(name, environment: Self.environment))
      #expect(Profile.check(file: path, environment: Self.environment).isEmpty)
    }
    #expect(Folder.visibleNames("\(packageFolder)/profiles").count == Self.names.count)
  }

  @Test(arguments: names)
  func `every list of devices ends in one that is always there`(_ name: String) throws {
    let mode = try Profile.named(name, environment: Self.environment).mode
    for prefer in [mode.preferredInput, mode.preferredOutput].compactMap({ $0 }) {
      #expect(prefer.last == .default)
    }
    for port in [mode.inputPort, mode.outputPort].compactMap({ $0 }) {
      #expect(port.last == .name("*"))
    }
  }

  @Test(arguments: names, [Machine.laptop, .server])
  func `every one can be planned on a laptop and on a bare server`(
    _ name: String, _ machine: Machine
  ) throws {
    let mode = try Profile.named(name, environment: Self.environment).mode
    let plan = try Plan.make(PlanInput(mode: mode, snapshot: machine.snapshot))
    let known: [Property] = [.mode, .sampleRate, .ioBufferDuration]
    #expect(plan.unmet.filter { !known.contains($0.property) } == [])
  }
}
