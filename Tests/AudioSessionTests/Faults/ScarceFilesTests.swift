import AudioSession
import Glibc
import Testing

/// A program that has no file descriptor left.
@Suite("No file descriptor left")
struct ScarceFilesTests {
  @Test("a session throws when it connects, and the program lives on")
  func session() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      while open("/dev/null", O_RDONLY) >= 0 {}
      let session = AudioSession(server: "unix:/nonexistent")
      let error = await #expect(throws: SessionError.self) {
        try await session.setAudioMode(AudioMode())
      }
      await session.close()
      guard error?.message.contains("Too many open files") == true else { exit(3) }
    }
  }
}
