import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Category → card profile: keep it if it does; else the best that also keeps the other direction.
@Suite struct CategoryTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let category: SessionCore.Category
    let from: String
    let to: String?
    var testDescription: String { "\(category.rawValue) on \(from)" }
  }

  static let rows = [
    Row(category: .record, from: Server.duplex, to: nil),
    Row(category: .playback, from: Server.duplex, to: nil),
    Row(category: .playAndRecord, from: Server.duplex, to: nil),
    Row(category: .record, from: "input:analog-stereo", to: nil),
    Row(category: .playback, from: "output:hdmi-stereo", to: nil),
    // Never off, never pro-audio by accident; but who chose pro-audio keeps it.
    Row(category: .record, from: "off", to: Server.duplex),
    Row(category: .playback, from: "off", to: Server.duplex),
    Row(category: .record, from: "pro-audio", to: nil),
    // The other direction is kept.
    Row(category: .record, from: "output:analog-stereo", to: Server.duplex),
    Row(category: .playback, from: "input:analog-stereo", to: Server.duplex),
    Row(
      category: .record, from: "output:hdmi-stereo", to: "output:hdmi-stereo+input:analog-stereo"),
  ]

  @Test(arguments: rows) func `the profile that a category needs`(_ row: Row) throws {
    let server = Server.laptop(row.from, jacks: ["hdmi-output-0": .yes])
    let plan = try server.plan(AudioMode(category: row.category))
    let profiles = plan.steps.filter { $0.phase == .category }
    #expect(profiles.map(\.setting) == (row.to == nil ? [] : [.cardProfile(card: "alsa_card.pci")]))
    #expect(profiles.first?.to == row.to.map(SettingValue.name))
    #expect(plan.unmet == [])
  }
}
