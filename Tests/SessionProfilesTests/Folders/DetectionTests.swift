import PulseTypes
import SessionCore
import SessionProfiles
import Testing

/// Which profile fits, and when another is taken.
@Suite struct DetectionTests {
  private func profile(
    _ name: String, inputs: [DeviceMatcher] = [], outputs: [DeviceMatcher] = []
  ) -> Profile {
    Profile(
      name: name, mode: AudioMode(), match: ProfileMatch(inputs: inputs, outputs: outputs),
      source: .builtIn)
  }

  private let laptop = Machine.laptop.snapshot
  private let usb: DeviceMatcher = .properties(["device.bus": "usb"])

  @Test func `all must be there, and more and more telling matchers win`() {
    let detection = ProfileDetection(
      [
        profile("any", inputs: ["*"]), profile("never"),
        profile("desk", inputs: [usb], outputs: [.formFactor("internal")]),
        profile("exact", inputs: ["alsa_input.usb-Blue_Yeti-00.mono-fallback"]),
        profile("usb", inputs: [usb]), profile("studio", inputs: [usb, "nowhere"]),
      ], in: laptop)
    #expect(detection.profiles.map(\.name) == ["desk", "exact", "usb", "any", "studio"])
    #expect(detection.profiles.map(\.points) == [4, 4, 2, 1, 6])
    #expect(detection.chosen == "desk")
    #expect(detection.ties == ["exact"])
    #expect(detection.profiles.last?.missing == ["input nowhere"])
  }

  @Test func `what is unplugged is not there`() {
    let matchers: [DeviceMatcher] = [.portType(.headsetMic)]
    #expect(ProfileDetection([profile("call", inputs: matchers)], in: laptop).chosen == nil)
    var plugged = laptop
    for at in plugged.sources.indices {
      for port in plugged.sources[at].ports.indices {
        plugged.sources[at].ports[port].availability = .yes
      }
    }
    #expect(ProfileDetection([profile("call", inputs: matchers)], in: plugged).chosen == "call")
  }

  @Test func `without one that fits it is the one called default`() {
    let detection = ProfileDetection(
      [profile("studio", inputs: ["nowhere"]), profile("default")], in: laptop)
    #expect(detection.chosen == "default")
    #expect(detection.ties == [])
    #expect(ProfileDetection([], in: laptop).chosen == nil)
  }

  @Test func `points`() {
    let matchers: [(DeviceMatcher, Int)] = [
      ("default", 1), ("*", 1), ("alsa_*", 2), ("mic", 4), (.formFactor("x"), 2),
      (.portType(.mic), 2), (.properties(["device.serial": "x"]), 4),
      (.properties(["device.vendor.id": "1", "device.product.id": "2"]), 4),
      (.all(["*.x", .properties(["device.string": "1"])]), 6),
    ]
    for (matcher, points) in matchers { #expect(matcher.points == points, "\(matcher)") }
  }

  private var without: ServerSnapshot {
    var snapshot = laptop
    snapshot.cards.removeLast()
    snapshot.sources.removeLast()
    return snapshot
  }

  @Test func `a burst is answered once, when it has settled`() {
    let profiles = [profile("desk", inputs: [usb]), profile("default")]
    var choice = ProfileSwitch()
    choice.note(laptop, at: .zero)
    #expect(choice.decide(profiles, at: .zero)?.chosen == "desk")
    #expect(choice.nextLook == nil)
    choice.note(without, at: .seconds(1))
    choice.note(without, at: .seconds(1) + .milliseconds(15))
    #expect(choice.nextLook == .milliseconds(1035))
    for at in stride(from: 1030, to: 1300, by: 10) { choice.note(without, at: .milliseconds(at)) }
    #expect(choice.nextLook == .milliseconds(1250))
    #expect(choice.decide(profiles, at: .milliseconds(1250))?.chosen == "default")
    #expect(choice.decide(profiles, at: .milliseconds(1260)) == nil)
    choice.note(without, at: .seconds(2))
    #expect(choice.decide(profiles, at: .seconds(3)) == nil)
  }

  @Test func `what comes and goes counts once it has stayed`() {
    let profiles = [profile("desk", inputs: [usb]), profile("default")]
    var choice = ProfileSwitch()
    choice.note(laptop, at: .zero)
    _ = choice.decide(profiles, at: .zero)
    for second in 1...4 {
      choice.note(second % 2 == 1 ? without : laptop, at: .seconds(second))
      let chosen = choice.decide(profiles, at: .seconds(second) + .milliseconds(20))?.chosen
      #expect(chosen == [nil, "default", "desk", "default", nil][second])
    }
    #expect(choice.nextLook == .seconds(4) + FlapDetector.grace)
    #expect(choice.decide(profiles, at: .seconds(7))?.chosen == "desk")
    #expect(choice.nextLook == nil)
  }

  @Test func `with nothing that fits what stands is kept; a reload decides anew`() {
    let profiles = [profile("desk", inputs: [usb])]
    var choice = ProfileSwitch()
    choice.note(laptop, at: .zero)
    _ = choice.decide(profiles, at: .zero)
    choice.note(without, at: .seconds(1))
    #expect(choice.decide(profiles, at: .seconds(2)) == nil)
    choice.note(laptop, at: .seconds(3))
    #expect(choice.decide(profiles, at: .seconds(4)) == nil)
    choice.forget(at: .seconds(5))
    #expect(choice.decide(profiles, at: .seconds(5))?.chosen == "desk")
  }

  @Test func `profiles that cannot be read are read later, also while a device comes and goes`() {
    let profiles = [profile("desk", inputs: [usb]), profile("default")]
    var choice = ProfileSwitch()
    choice.note(laptop, at: .zero)
    _ = choice.decide(profiles, at: .zero)
    for second in 1...4 {
      choice.note(second % 2 == 1 ? without : laptop, at: .seconds(second))
      _ = choice.decide(profiles, at: .seconds(second) + .milliseconds(20))
    }
    #expect(choice.nextLook == .seconds(4) + FlapDetector.grace)
    choice.postpone(until: .seconds(12))
    #expect(choice.nextLook == .seconds(12))
    #expect(choice.decide(profiles, at: .seconds(12))?.chosen == "desk")
  }

  @Test func `a switch that failed is due again, unless it is taken back`() {
    let profiles = [profile("desk", inputs: [usb])]
    var choice = ProfileSwitch()
    choice.note(laptop, at: .zero)
    #expect(choice.decide(profiles, at: .zero)?.chosen == "desk")
    choice.forget(at: .seconds(5))
    #expect(choice.nextLook == .seconds(5))
    // A change of devices is looked at before that.
    choice.note(laptop, at: .seconds(1))
    #expect(choice.nextLook == .seconds(1) + Pacer.quiet)
    #expect(choice.decide(profiles, at: .seconds(2))?.chosen == "desk")
    choice.forget(at: .seconds(5))
    choice.remember("desk")
    #expect(choice.decide(profiles, at: .seconds(5)) == nil)
    choice.remember("default")
    #expect(choice.chosen == "desk")
  }
}
