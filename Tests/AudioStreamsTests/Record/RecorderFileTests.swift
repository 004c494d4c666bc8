import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("The recorder's file and its moments", .server, .soundFiles, .timeLimit(.minutes(10)))
struct RecorderFileTests {
  @Test("a list is beside every file that remains, and beside no descriptor")
  func sidecar() throws {
    let folder = TemporaryFolder()
    let shared = "/dev/shm/audiosession-test-\(getpid())"
    defer { unlink(shared) }
    folder.write("", to: "a.wav")
    try File.write([], to: shared)
    #expect(Sidecar.isPossible(for: folder.path + "/a.wav"))
    #expect(Sidecar.isPossible(for: folder.path + "/none.wav"))
    #expect(Sidecar.isPossible(for: "none.wav"))
    #expect(Sidecar.isPossible(for: shared))
    #expect(Sidecar.isPossible(for: shared + "-none"))
    let file = try Descriptor(opening: folder.path + "/a.wav", O_WRONLY)
    let link = folder.path + "/link.wav"
    #expect(symlink("/dev/fd/\(file.raw)", link) == 0)
    let others = [
      "-", "/dev/null", "/dev/fd/\(file.raw)", "/proc/self/fd/\(file.raw)", link, folder.path,
    ]
    for path in others { #expect(!Sidecar.isPossible(for: path), "\(path)") }
  }

  @Test("a recording in the memory of /dev/shm has its list")
  func sharedMemory() async throws {
    let path = "/dev/shm/audiosession-test-\(getpid()).wav"
    defer { for path in [path, path + ".json"] { unlink(path) } }
    let file = RecordingFile(path: path, configuration: RecordingConfiguration(), Readers())
    try await file.create(sampleRate: 8000, channels: 1)
    let buffer = CaptureBuffer(
      samples: [Float](repeating: 0.5, count: 80), channels: 1, sampleRate: 8000, position: 80,
      hostTime: .zero, device: "mic",
      missing: [MissingFrames(position: 0, frames: 80, cause: .overrun)])
    _ = try await file.append(buffer)
    try await file.close()
    #expect(File.text(path + ".json").contains("overrun") == true)
  }

  @Test("a stop ends a start that waits for the server", arguments: [true, false])
  func stopsStart(intoPipe: Bool) async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      if intoPipe { #expect(mkfifo(path, 0o600) == 0) }
      let recorder = rig.recorder()
      try await rig.sandbox.freeze()
      let starting = Task { try await recorder.start(path) }
      #expect(await eventually { await recorder.isStarting })
      let time = await ContinuousClock().measure { _ = try? await recorder.stop() }
      #expect(time < .seconds(10))
      await #expect {
        try await starting.value
      } throws: {
        ($0 as? StreamError)?.message == "the recorder was stopped while it started"
      }
      let ended = await ContinuousClock().measure { _ = await starting.result }
      #expect(ended < .seconds(10))
      try await rig.sandbox.thaw()
    }
  }

  @Test("ten buffers a second, whatever the rate of the device", arguments: [8000, 192_000])
  func buffers(rate: Int) async throws {
    let machine = SandboxConfiguration(modules: [
      "module-null-source source_name=one rate=\(rate) channels=1"
    ])
    try await Rig.with(machine) { rig in
      let recorder = rig.recorder()
      let folder = TemporaryFolder()
      let updates = recorder.progressUpdates
      let steps = Task {
        var (steps, last): ([Int64], Int64) = ([], 0)
        for await progress in updates where progress.frames > last {
          steps.append(progress.frames - last)
          last = progress.frames
        }
        return steps
      }
      try await recorder.start(
        folder.path + "/a.wav", configuration: RecordingConfiguration(duration: .seconds(1)))
      try await recorder.finished()
      // A reader that is late gets only the newest.
      #expect(await steps.value.min() == Int64(rate / 10))
    }
  }
}
