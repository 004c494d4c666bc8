import PulseTypes
import TestSupport

import TestSupport
@testable import SessionCore

/// Lives on the model server: what happens to it, and what must hold.
extension Simulation {
  /// The mode of a number; 0 is none.
  func mode(_ number: Int) -> AudioMode {
    guard number != 0 else { return AudioMode() }
    var random = SeededRandom(seed: seed &* 4096 &+ UInt64(number))
    return preferring {
      $0.preferredInput = random.pick([
        [.name(SimulatedServer.usb), .name(SimulatedServer.microphone)],
        [.name(SimulatedServer.microphone)],
      ])
      $0.inputGain = Promises.gain(number)
      $0.gainLock = random.maybe([true])
      $0.inputMuted = random.maybe([true, false], in: 2)
      $0.outputVolume = random.one(in: 2) ? Promises.loudness(number) : nil
      $0.channelMap = random.maybe([.swap], in: 6)
    }
  }

  static let jacks = ["analog-input-headset-mic", "analog-output-headphones"]

  /// Something happens to the server, or with it.
  func actOnServer() {
    guard let server = modelServer else { return }
    if hasMoreFaults, random.one(in: 3) {
      guard !random.one(in: 4) else {
        return server.restartManager(after: .milliseconds(random.below(4000)))
      }
      let jack = random.pick(Self.jacks)
      return server.setJack(jack, isPlugged: random.one(in: 2))
    }
    switch random.below(isRivalled ? 16 : 12) {
    case 0, 1: server.plug("alsa_card.usb")
    case 2, 3: server.unplug("alsa_card.usb")
    case 4: server.freeze(.milliseconds(random.below(9000)))
    case 5, 6:
      server.restart(keeps: random.chance(2, in: 3), after: .milliseconds(random.below(2000)))
    case 7:
      log("the server refuses what comes")
      server.refusals = 1 + random.below(3)
    case 8:
      server.delay = .milliseconds(random.pick([0, 5, 300]))
      log("the server answers \(server.delay) late")
    case 12, 13:
      guard server.isUp,
        let device = server.model.snapshot.hardware(.input).randomElement(using: &random)
      else { return }
      log("another program chooses \(device.name)")
      promises.noteRival()
      try? server.change { (model: inout SimulatedServer) throws(SimulatedServer.Refusal) in
        try model.setDefault(.input, device.name)
      }
    case 14, 15:
      guard server.isUp,
        let device = server.model.snapshot.hardware(random.pick(Direction.allCases))
          .randomElement(using: &random)
      else { return }
      let isMute = random.one(in: 3)
      try? server.change { (model: inout SimulatedServer) throws(SimulatedServer.Refusal) in
        try model.edit(device.direction, device.name) { promises.touch(&$0, mutes: isMute) }
      }
      log("another program changes \(isMute ? "mute" : "volume") of \(device.name)")
    default: break
    }
  }

  func noteServerChange() {
    for session in sessions where session.work != nil && disk.running.contains(session.process) {
      session.later { $0.work?.noteChange() }
    }
  }

  func noteConflict(_ setting: Setting, _ session: SimulatedSession) {
    log("\(session.process) sees a conflict about \(setting)")
    check(promises.rivals > 0, "a conflict about \(setting), and nobody else changed anything")
  }

  /// A session is about to change the server.
  func checkWrite(_ step: Step, by session: SimulatedSession) {
    promises.writes += 1
    check(promises.writes < 3000, "the server is changed without end")
    check(
      disk.locker(of: "/s/x.lock") == session.process, "\(session.process) writes without the lock")
    guard step.setting.is(.outlivesSession) || step.setting.isModule,
      !Owned.isName(step.setting.object)
    else { return }
    let path = "/s/x.baseline.json"
    for bytes in seesDisk ? disk.possible(path) : [disk.content(of: path)] {
      let entry = bytes.flatMap(ModelWork.baseline)?[step.setting]
      check(
        entry != nil,
        "\(session.process) sets \(step.setting), and its value from before may not be on the disk")
      guard case .volume(let volume)? = entry?.before, let raw = volume.values.first?.rawValue
      else { continue }
      check(
        Promises.mode(of: raw) == nil || promises.excused.contains(step.setting.object),
        "\(raw) of a session counts as a value from before")
    }
    guard case .volume(let volume) = step.to, let raw = volume.values.first?.rawValue,
      let mode = Promises.mode(of: raw)
    else { return }
    check(
      !withdrawn.contains(mode) || mode == acknowledged || sessions.contains { $0.mode == mode },
      "\(session.process) applies \(mode), whose command has given up")
  }

  /// The power is gone: what is on the disk must lead back, once everything is plugged in.
  func cutServerPower() {
    guard let server = modelServer else { return }
    server.stop()
    server.delay = .zero
    server.refusals = 0
    server.start(keeps: true)
    var model = server.model
    for card in model.unplugged.keys.sorted() { model.plug(card) }
    model.settleArrivals()
    promises.noteNatural(model, isFresh: true)
    var run = Run(model, PlanInput(mode: AudioMode(), snapshot: model.snapshot))
    run.input.baseline =
      disk.content(of: "/s/x.baseline.json").flatMap(ModelWork.baseline) ?? Baseline()
    let before = run.input.baseline
    run.run()
    let left = promises.leftover(run.server.snapshot)
    check(
      left == nil,
      "the power went, and nothing leads back: \(left ?? "") with \(before)\n\(run.trace)")
    if model.arrivals.isEmpty { server.change { $0.settleArrivals() } }
  }

  /// The faults end, and all comes to rest; then everything is reverted.
  func finishOnServer() {
    guard let server = modelServer else { return }
    server.calmDown()
    // A session whose holder died after the last revert would apply its mode again, and rightly so.
    dying = [:]
    turn(until: now + .seconds(120))
    checkServer("after the faults")
    server.plug("alsa_card.usb")
    turn(until: now + .seconds(20))
    checkServer("after the device is back")
    if random.one(in: 2) {
      for session in sessions where disk.running.contains(session.process) { session.end() }
      turn(until: now + .seconds(1))
    }
    start(.revert)
    turn(until: now + .seconds(20))
    var left = promises.leftover(server.model.snapshot)
    check(left == nil, "reverted, and \(left ?? "")")
    guard hasMoreFaults else { return }
    // What belongs to the other ports is restored when they are used, or by a revert then.
    for isPlugged in [true, false] {
      for jack in Self.jacks { server.setJack(jack, isPlugged: isPlugged) }
      turn(until: now + .seconds(20))
      start(.revert)
      turn(until: now + .seconds(20))
      left = promises.leftover(server.model.snapshot)
      check(left == nil, "reverted with the jacks \(isPlugged ? "in" : "out"), and \(left ?? "")")
    }
  }

  private func checkServer(_ when: String) {
    guard let server = modelServer,
      let holder = sessions.first(where: { disk.running.contains($0.process) && $0.isHolder })
    else { return }
    guard holder.mode != 0 else {
      guard holder.isDeactivated else { return }
      // Nothing but a call or a command unmutes an input.
      let left = promises.leftover(server.model.snapshot, mayBeMuted: .input)
      return check(left == nil, "\(when) \(holder.process) is inactive, and \(left ?? "")")
    }
    let unmet = promises.unmet(mode(holder.mode), holder.mode, server.model.snapshot)
    check(unmet == nil, "\(when) \(holder.process) holds \(holder.mode), and \(unmet ?? "")")
  }
}
