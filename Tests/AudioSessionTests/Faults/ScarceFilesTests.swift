import AudioSession
import Glibc
import TestSupport
import Testing

/// A program that has no file descriptor left.
///
/// Where all of a process are taken, libdispatch ends it by itself (Swift 6.3.1: its monitor of the
/// pool cannot open `/proc/self/task/…/stat`). So the thread that makes the session has a table of its own.
@Suite("No file descriptor left")
struct ScarceFilesTests {
  @Test("a session throws when it connects, and the program lives on")
  func session() async {
    await #expect(processExitsWith: .success) {
      let made = Shared<AudioSession?>(nil)
      let context = Unmanaged.passRetained(made)
      var thread = pthread_t()
      let result = pthread_create(
        &thread, nil,
        { context in
          let made = Unmanaged<Shared<AudioSession?>>.fromOpaque(context!).takeRetainedValue()
          // `unshare(CLONE_FILES)`, which Swift does not import.
          let unshare = unsafeBitCast(
            dlsym(nil, "unshare"), to: (@convention(c) (CInt) -> CInt).self)
          guard unshare(0x400) == 0 else { exit(2) }
          var limit = rlimit(rlim_cur: 256, rlim_max: 256)
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          while open("/dev/null", O_RDONLY) >= 0 {}
          guard errno == EMFILE else { exit(3) }
          made.update { $0 = AudioSession(server: "unix:/nonexistent") }
          return nil
        }, context.toOpaque())
      guard result == 0, pthread_join(thread, nil) == 0 else { exit(4) }
      let session = try #require(made.value)
      let error = await #expect(throws: SessionError.self) {
        try await session.setAudioMode(AudioMode())
      }
      await session.close()
      guard error?.message.contains("Too many open files") == true else { exit(5) }
    }
  }
}
