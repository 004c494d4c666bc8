import ArgumentParser
import AudioSession
import JSONCoding
import SessionProfiles

struct ProfilesDetectCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "List the profiles that fit the connected devices, the best first.",
    discussion: """
      A profile fits if each matcher of its [match] has a connected device. The most specific one \
      wins: 4 points for a name, a serial number, an address or a connector, 2 for a kind \
      of device, 1 for any device; the keys of a matcher are added. If none fits, the profile named \
      'default' is chosen, if there is one. 'watch --auto' chooses like this whenever devices are \
      plugged in or removed.

      JSON: schema; chosen (a name, or null); ties; profiles: name, description, source, fits, \
      points, missing.
      """)

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let reading = try ProfileInventory.whole()
    let snapshot = try await context.withSession { try await $0.snapshot() }
    let detection = ProfileDetection(reading.readable, in: snapshot)
    let profiles = detection.profiles.map { fit -> JSONObject in
      [
        "name": fit.name, "description": fit.description, "source": fit.source.description,
        "fits": fit.fits, "points": fit.points, "missing": fit.missing,
      ]
    }
    try context.output.result(json: [
      "chosen": detection.chosen, "ties": detection.ties, "profiles": profiles,
    ]) {
      DetectionView.lines(detection, width: $0)
    }
    for broken in reading.broken { context.output.warning("left out: \(broken.mistake)") }
    return .done
  }
}
