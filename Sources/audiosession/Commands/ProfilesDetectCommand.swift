import ArgumentParser
import AudioSession
import SessionProfiles

/// `profiles detect`
struct ProfilesDetectCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Say which profiles fit the devices that are there, the best first.",
    discussion: """
      A profile fits when a device is there for each matcher of its [match]. The one that says most \
      wins: 4 points for what means one device (a name, a serial number, an address, a place), 2 \
      for a kind, 1 for anything. Where none fits it is the profile called 'default', if there is \
      one. 'watch --auto' chooses like this whenever devices come or go.

      JSON: schema; chosen (a name, or null); ties; profiles: name, description, source, fits, \
      points, missing.
      """)

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let profiles = Profile.readable()
    let snapshot = try await context.withSession { try await $0.snapshot() }
    let detection = ProfileDetection(profiles, in: snapshot)
    try context.output.result(DetectionJSON(detection)) {
      DetectionView.lines(detection, width: $0)
    }
    for broken in Profile.all() where broken.error != nil {
      context.output.warning("left out: \(broken.error?.message ?? broken.name)")
    }
    return .done
  }
}
