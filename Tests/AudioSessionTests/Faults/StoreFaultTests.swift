import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import SessionCore
import TestSupport
import Testing

@Suite("A store that fails", .timeLimit(.minutes(10)))
struct StoreFaultTests {
  private static var mode: AudioMode {
    var mode = AudioMode(category: .record)
    mode.channelMap = .swap
    mode.inputGain = Volume(fraction: 0.5)
    return mode
  }

  private func write(_ text: String, _ path: String) throws {
    try File.write(text.utf8, to: path)
  }

  /// The store's file with this ending; the names are the server's address, encoded.
  private func file(_ rig: Rig, _ ending: String) -> String {
    let name = rig.sandbox.address.map { $0.isLetter || $0.isNumber || "._-".contains($0) }
    let plain = zip(rig.sandbox.address, name).map { character, isPlain in
      isPlain ? String(character) : "%" + String(character.asciiValue!, radix: 16, uppercase: true)
    }
    return rig.sandbox.directory + "/store/" + plain.joined() + ending
  }

  private func makeFolder(_ rig: Rig) { mkdir(rig.sandbox.directory + "/store", 0o700) }

  @Test("what cannot be written is known before the server is touched", .server)
  func untouched() async throws {
    try await Rig.with(.minimal) { rig in
      let folder = rig.sandbox.directory + "/store"
      let before = try await rig.listing()
      try await rig.outside.subscribe()
      let events = await rig.outside.events()
      try write("", folder)
      try await expectFailure(rig)
      unlink(folder)
      makeFolder(rig)
      mkdir(file(rig, ".lock"), 0o700)
      try await expectFailure(rig)
      rmdir(file(rig, ".lock"))
      symlink("/dev/full", file(rig, ".lock"))
      try await expectFailure(rig)
      unlink(file(rig, ".lock"))
      symlink("/dev/full", file(rig, ".baseline.json.new"))
      try await expectFailure(rig)
      mkdir(file(rig, ".baseline.json.new"), 0o700)
      try await expectFailure(rig)
      rmdir(file(rig, ".baseline.json.new"))
      #expect(try await rig.listing(expecting: before) == before)
      await rig.outside.close()
      for await event in events {
        #expect(event.facility == .client, "\(event)")
      }
    }
  }

  private func expectFailure(
    _ rig: Rig, restored: Bool? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = await #expect(throws: SessionError.self, sourceLocation: sourceLocation) {
      try await rig.session.setAudioMode(Self.mode)
    }
    #expect(
      error?.code == .storeFailed, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(
      error?.restored == restored, "\(String(describing: error))", sourceLocation: sourceLocation)
  }

  @Test(
    "a disk that fills in the middle undoes the change", .server,
    arguments: [".status.json.new", ".mode.toml.new"], [true, false])
  func full(_ ending: String, isAfterAnother: Bool) async throws {
    try await Rig.with(.minimal) { rig in
      let virgin = try await rig.listing()
      if isAfterAnother {
        var mode = AudioMode(category: .record)
        mode.inputGain = Volume(fraction: 0.8)
        try await rig.session.setAudioMode(mode)
      }
      makeFolder(rig)
      let before = try await rig.listing()
      symlink("/dev/full", file(rig, ending))
      try await expectFailure(rig, restored: true)
      #expect(try await rig.listing(expecting: before) == before)
      // The link was taken for a left file and removed: there is room again.
      try await rig.session.setAudioMode(Self.mode)
      try await rig.session.revert()
      #expect(try await rig.listing() == virgin)
    }
  }

  @Test("after a change that cannot be stored, other processes see the former mode", .server)
  func status() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode(category: .record)
      mode.ioBufferDuration = .milliseconds(20)
      try await rig.session.setAudioMode(mode)
      let before = try rig.status
      #expect(before.contains("Pin("))
      mkdir(file(rig, ".mode.toml.new"), 0o700)
      mode.ioBufferDuration = .milliseconds(40)
      let other = mode
      await #expect(throws: SessionError.self) { try await rig.session.setAudioMode(other) }
      #expect(await eventually { (try? rig.status) == before })
      rmdir(file(rig, ".mode.toml.new"))
    }
  }

  @Test(
    "a holder that cannot store touches no device, and acts on all once there is room", .server,
    .timeLimit(.minutes(10)))
  func roomLater() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name("late"), .name("mic")]
      mode.inputGain = Volume(fraction: 0.3)
      mode.reapply = .onRouteChange
      try await rig.session.setAudioMode(mode)
      var events = rig.session.events.makeAsyncIterator()
      await rig.session.noteCorkRequest(toPause: true)
      let obstacle = file(rig, ".baseline.json.new")
      mkdir(obstacle, 0o700)
      let module = try await rig.outside.loadModule("module-null-source", "source_name=late")
      while let event = await events.next(), event != .devicesChanged {}
      await rig.session.noteCorkRequest(toPause: false)
      var failures = 0
      while failures < 3, let event = await events.next() {
        #expect(event != .interruptionEnded(shouldResume: true))
        if case .reapplyFailed(let error) = event {
          #expect(error.code == .storeFailed)
          failures += 1
        }
      }
      let before = try await rig.outside.source(named: "late")?.volume
      #expect(before?.loudest == .norm)
      rmdir(obstacle)
      // The end of the interruption and the new device were not forgotten meanwhile.
      while let event = await events.next(), event != .interruptionEnded(shouldResume: true) {}
      #expect(
        try await rig.outside.source(named: "late")?.volume.loudest == Volume(fraction: 0.3))
      // What a killed holder leaves is enough for a revert.
      #expect(File.text(file(rig, ".baseline.json")).contains("late"))
      try await rig.session.revert()
      #expect(try await rig.outside.source(named: "late")?.volume == before)
      try await rig.outside.unloadModule(module)
    }
  }

  @Test("a holder that cannot store after a restart reports it, and keeps its connection", .server)
  func restart() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      var events = rig.session.events.makeAsyncIterator()
      let obstacle = file(rig, ".baseline.json.new")
      mkdir(obstacle, 0o700)
      try await rig.sandbox.restart()
      var failures = 0
      while failures < 3, let event = await events.next() {
        guard case .reapplyFailed(let error) = event else { continue }
        #expect(error.code == .storeFailed)
        failures += 1
      }
      let outside = try await Rig.client(of: rig.sandbox, "outside")
      func connections() async throws -> [UInt32] {
        let clients = try await outside.snapshot().clients
        return clients.filter { $0.properties[HolderMark.key] != nil }.map(\.index.rawValue)
      }
      let before = try await connections()
      rmdir(obstacle)
      while let event = await events.next() { if case .reapplied = event { break } }
      #expect(try await connections() == before && before.count == 1)
      #expect(try await rig.session.getSessionState().properties[.inputGain]?.verdict == .applied)
      await outside.close()
    }
  }

  @Test("a mode that cannot be read now is not undone by the next holder", .server)
  func unreadable() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let volume = try await rig.outside.source(named: "mic")?.volume
      let mode = file(rig, ".mode.toml")
      unlink(mode)
      mkdir(mode, 0o700)
      let holder = Rig.session(rig.sandbox)
      let error = await #expect(throws: SessionError.self) { try await holder.hold() }
      #expect(error?.code == .storeFailed, "\(error as Any)")
      #expect(try await rig.outside.source(named: "mic")?.volume == volume)
      await holder.close()
      // Nobody waits for a closed session.
      for await _ in holder.events { Issue.record("an event of a closed session") }
      rmdir(mode)
    }
  }

  @Test("that the mode before another scope has ended, and is still stored, is told", .server)
  func otherScope() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let path = file(rig, ".mode.toml")
      unlink(path)
      mkdir(path, 0o700)
      var mode = AudioMode(category: .record)
      mode.scope = .application
      let report = try await rig.session.setAudioMode(mode)
      let notes = report.state.notes
      #expect(notes.contains { $0.hasPrefix("restored, but not recorded: ") }, "\(notes)")
      #expect(report.isUnrecorded == true)
      rmdir(path)
    }
  }

  @Test("a damaged mode or status is replaced by the next apply; a revert needs neither", .server)
  func damaged() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      let before = try await rig.listing()
      for damage in ["", "\u{0}\u{1}", "schema = ", "{", "schema = 99\n"] {
        try await rig.session.setAudioMode(Self.mode)
        try write(damage, file(rig, ".mode.toml"))
        try write(damage, file(rig, ".status.json"))
        try write(damage, file(rig, ".lock"))
        let other = Rig.session(rig.sandbox, isHolding: false)
        try await other.setAudioMode(Self.mode)
        #expect(try await other.getSessionState().properties[.inputGain]?.verdict == .applied)
        try write(damage, file(rig, ".mode.toml"))
        try await other.revert()
        await other.close()
        #expect(try await rig.listing(expecting: before) == before)
      }
    }
  }

  @Test(
    "a damaged mode keeps nothing from being restored once another one was stored", .server,
    .timeLimit(.minutes(10)))
  func damagedBefore() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      let late = try await rig.outside.loadModule("module-null-source", "source_name=late")
      let before = ChannelVolumes(Volume(fraction: 0.4), channels: 2)
      try await rig.setInputVolume(before, of: "late")
      var mode = AudioMode()
      mode.preferredInput = [.name("late")]
      mode.inputGain = Volume(fraction: 0.3)
      try await rig.session.setAudioMode(mode)
      let path = file(rig, ".mode.toml")
      try write("{", path)
      try await rig.session.setAudioMode(mode)
      #expect(access(path + ".damaged", F_OK) != 0)
      #expect(access(path + ".damaged.old", F_OK) == 0)
      try await rig.outside.unloadModule(late)
      #expect(try await rig.session.revert().left.contains { $0.contains("late is unplugged") })
      // A service restores it when the device returns.
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/store")
      configuration.holdsWithoutMode = true
      let service = AudioSession(server: rig.sandbox.address, configuration: configuration)
      try await service.hold()
      _ = try await rig.outside.loadModule("module-null-source", "source_name=late")
      #expect(try await rig.eventually { $0.device(.input, named: "late")?.volume == before })
      await service.close()
    }
  }

  @Test("settings that a newer version recorded are kept, and the others are restored", .server)
  func newerVersion() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      let before = try await rig.listing()
      try await rig.session.setAudioMode(Self.mode)
      let path = file(rig, ".baseline.json")
      let newer =
        #"{"setting":{"loudness":{"device":"mic"}},"before":{"curve":{"_0":"flat"}}}"#
      let text = try read(path)
      #expect(text.contains(#""entries":["#))
      try write(text.replacing(#""entries":["#, with: #""entries":["# + newer + ","), path)
      let other = Rig.session(rig.sandbox, isHolding: false)
      let note = "1 setting was recorded by a newer version of AudioSession"
      #expect(try await other.getSessionState().notes.contains { $0.hasPrefix(note) })
      try await other.setAudioMode(AudioMode(category: .playback))
      #expect(try read(path).contains(newer))
      let report = try await other.revert()
      #expect(report.left.contains { $0.hasPrefix(note) }, "\(report.left)")
      #expect(try await rig.listing(expecting: before) == before)
      #expect(try read(path).contains(newer))
      #expect(access(path + ".damaged", F_OK) != 0)
      _ = try await other.revert(forgetsUnplugged: true)
      #expect(access(path, F_OK) != 0)
      await other.close()
    }
  }

  private func read(_ path: String) throws -> String {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  @Test("a folder behind a link is as good as any", .server)
  func linked() async throws {
    try await Rig.with(.minimal) { rig in
      #expect(mkdir(rig.sandbox.directory + "/elsewhere", 0o700) == 0)
      #expect(symlink("elsewhere", rig.sandbox.directory + "/store") == 0)
      try await rig.session.setAudioMode(Self.mode)
      #expect(!Folder.names(rig.sandbox.directory + "/elsewhere").isEmpty)
      try await rig.session.revert()
    }
  }

  @Test("a copy of the lock's descriptor, as a child has at its start, holds nobody up", .server)
  func inherited() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let path = file(rig, ".lock")
      let descriptors = Folder.names("/proc/self/fd").compactMap { Int32($0) }
        .filter { File.link("/proc/self/fd/\($0)") == path }
      let copy = dup(try #require(descriptors.first))
      defer { close(copy) }
      await rig.session.close()
      let other = Rig.session(rig.sandbox)
      try await other.revert()
      await other.close()
    }
  }

  @Test("a lock file that names a holder of yore holds nobody up", .server)
  func formerHolder() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      await rig.session.close()
      // The file goes on to name this living process as the holder, and others ask all the time.
      let asking = Task {
        let other = Rig.session(rig.sandbox)
        while !Task.isCancelled { _ = try? await other.getSessionState() }
        await other.close()
      }
      for _ in 0..<20 {
        let session = Rig.session(rig.sandbox)
        try await session.setAudioMode(Self.mode)
        await session.close()
      }
      asking.cancel()
      await asking.value
    }
  }
}
