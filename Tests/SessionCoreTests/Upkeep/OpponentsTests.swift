import PulseTypes
import Testing

@testable import SessionCore

/// Who is named when a setting keeps being changed.
@Suite struct OpponentsTests {
  private func snapshot(
    _ clients: [(String, [String: String])], modules: [String] = []
  ) -> ServerSnapshot {
    var snapshot = SimulatedServer.laptop().snapshot
    snapshot.clients = clients.enumerated().map { at, client in
      Client(index: Index(UInt32(at + 1)), name: client.0, properties: client.1)
    }
    snapshot.modules = modules.enumerated().map { at, name in
      Module(index: Index(UInt32(at + 1)), name: name)
    }
    return snapshot
  }

  @Test func `programs come first, the last connected before the others, each once`() {
    let snapshot = snapshot(
      [
        ("panel", [:]), ("mixer", [:]), ("mixer", [:]),
        ("audiosession", ["application.id": Owned.applicationID]),
        ("WirePlumber", ["wireplumber.daemon": "true"]),
        ("pipewire", ["application.process.binary": "pipewire"]),
        ("Native client (UNIX socket client)", [:]),
      ], modules: ["module-switch-on-connect", "module-stream-restore"])
    #expect(
      snapshot.opponents(of: .defaultDevice(.input), snapshot.controllers)
        == ["mixer", "panel", "module-switch-on-connect"])
  }

  @Test func `a program that was connected at every change comes before the last connected`() {
    var conflicts = ConflictDetector()
    let names = [["mixer"], ["mixer", "panel"], ["mixer"], [], ["late", "panel", "mixer"]]
    let found = names.enumerated().compactMap { at, programs in
      conflicts.noteChange(of: .defaultDevice(.input), at: .seconds(at) / 2, beside: programs)
    }
    #expect(found == [["mixer", "panel", "late"]])
  }

  @Test func `a module is named only for what it changes, and nothing where nothing is known`() {
    let snapshot = snapshot(
      [("audiosession", ["application.id": Owned.applicationID])],
      modules: ["module-device-restore", "module-default-device-restore"])
    #expect(snapshot.opponents(of: .defaultDevice(.input), snapshot.controllers) == [])
    #expect(
      snapshot.opponents(of: .volume(.input, device: "x"), snapshot.controllers) == [
        "module-device-restore"
      ])
    #expect(snapshot.opponents(of: .rate(.input, device: "x"), snapshot.controllers) == [])
    let desktop = self.snapshot(
      [], modules: ["module-switch-on-port-available", "module-filter-apply"])
    for (setting, module) in [
      (Setting.cardProfile(card: "x"), "module-switch-on-port-available"),
      (.port(.input, device: "x"), "module-switch-on-port-available"),
      (.stream(.input, Index(1)), "module-filter-apply"),
    ] {
      #expect(desktop.opponents(of: setting, []) == [module])
    }
  }
}
