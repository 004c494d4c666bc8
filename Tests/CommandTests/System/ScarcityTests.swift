import Glibc
import POSIX
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// What a machine runs out of, and what it takes away (the page "Fault matrix").
@Suite("What runs out", .server, .timeLimit(.minutes(10)))
struct ScarcityTests {
  private func write(_ sandbox: PulseSandbox) throws {
    try sandbox.write(profile: "test", Profiles.podcast)
  }

  @Test("without files to open: a clear error, and nothing is changed; a little later all is so")
  func descriptors() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try write(sandbox)
      let before = try await sandbox.audiosession("devices", "--all")
      var refusals = 0
      for limit in stride(from: 6, through: 24, by: 3) {
        for command in ["state", "apply test", "plan test"] {
          // The limit is for the program alone: a shell needs some itself.
          let result = try await sandbox.shell("prlimit --nofile=\(limit) $A \(command)")
          if result.status == 0 { continue }
          refusals += 1
          #expect([71, 74].contains(result.status), "\(limit) \(command): \(result)")
          #expect(result.standardError.contains("ulimit -n"), "\(limit) \(command): \(result)")
          #expect(try await sandbox.audiosession("devices", "--all") == before)
        }
        #expect(try await sandbox.audiosession("revert").status == 0)
      }
      #expect(refusals >= 3)
      #expect(try await sandbox.audiosession("apply", "test").status == 0)
      #expect(try await sandbox.audiosession("plan", "test").standardOutput == "nothing to do\n")
      #expect(try await sandbox.audiosession("revert").status == 0)
      #expect(try await sandbox.audiosession("devices", "--all") == before)
    }
  }

  @Test("a holder without files to open makes all anew as soon as it has some")
  func holderWithoutDescriptors() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try write(sandbox)
      let watch = try await Watching.start(sandbox, "test --json")
      try await watch.limitFiles(to: 5)
      try await sandbox.resetMediaServices()
      #expect(try await watch.says("\"serverLost\""))
      try await watch.limitFiles(to: 1024)
      #expect(try await watch.says("\"serverReset\""))
      #expect(try await sandbox.audiosession("plan", "test").standardOutput == "nothing to do\n")
      #expect(try await watch.end() == 143)
    }
  }

  /// Lets a program have no inotify instance while the file that `NO_INOTIFY` names exists: the limit
  /// is the user's, and other tests need theirs.
  private static let scarcity = """
    #define _GNU_SOURCE
    #include <errno.h>
    #include <stdlib.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    int inotify_init1(int flags) {
      const char *path = getenv("NO_INOTIFY");
      if (path && access(path, F_OK) == 0) {
        errno = EMFILE;
        return -1;
      }
      return syscall(SYS_inotify_init1, flags);
    }
    """

  /// Runs a script with `$deaf`, which runs a program without inotify while the file `$scarce` exists,
  /// and with `$holder`, the process of such a holder of the profile `test`.
  private func withDeafHolder(
    _ sandbox: PulseSandbox, _ folder: TemporaryFolder, _ script: String
  ) async throws -> CommandResult {
    try write(sandbox)
    let source = try await sandbox.write(file: "scarcity.c", Self.scarcity)
    return try await sandbox.shell(
      """
      scarce=\(folder.path)/scarce; : > $scarce
      /usr/bin/cc -shared -fPIC -o \(folder.path)/scarcity.so \(source) || exit 90
      deaf="env NO_INOTIFY=$scarce LD_PRELOAD=\(folder.path)/scarcity.so"
      $deaf $A apply test --keep > /dev/null || exit 91
      holder=$($A state --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p')
      ! ls -l /proc/$holder/fd | grep -q inotify || exit 92
      \(script)
      """)
  }

  @Test(
    "without inotify a holder obeys, and watches as soon as it can; a command gets its answer",
    .compiler)
  func inotify() async throws {
    let folder = TemporaryFolder()
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "other", "[input]\ngain = \"40 %\"\n")
      // An order, or an answer, that is not noticed takes more than these 40 s.
      let result = try await withDeafHolder(
        sandbox, folder,
        """
        timeout 40 $A apply other > /dev/null || exit 93
        timeout 40 $deaf $A apply test > /dev/null || exit 94
        rm $scarce
        until ls -l /proc/$holder/fd | grep -q inotify; do kill -0 $holder || exit 95; pause; done
        timeout 40 $A revert > /dev/null || exit 96
        """)
      #expect(result.status == 0, "\(result)")
      #expect(try await sandbox.audiosession("stop").status == 0)
    }
  }

  @Test("without inotify a holder ends with the server that is thrown away", .compiler)
  func inotifyEnd() async throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let holder = try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await withDeafHolder(sandbox, folder, "echo $holder")
      return try #require(Int32(result.standardOutput.filter(\.isNumber)), "\(result)")
    }
    // None if it has ended already.
    guard let end = processDescriptor(holder) else { return }
    defer { close(end) }
    #expect(await eventually(within: .seconds(60)) { poll([.input(end)], for: 0)[0] })
  }

  @Test("a holder whose disk fills goes on healing, and says what it could not write")
  func holderWithFullDisk() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try write(sandbox)
      let watch = try await Watching.start(sandbox, "test --json")
      let store = try #require(sandbox.environment["XDG_STATE_HOME"]) + "/audiosession"
      // What is written anew goes to a device without room.
      let fill = try await sandbox.shell(
        """
        cd \(store)
        for file in *.status.json *.mode.toml *.baseline.json; do
          rm -f "$file.new"; mkdir "$file.new"
        done
        pactl set-default-source mic
        """)
      #expect(fill.status == 0, "\(fill)")
      #expect(try await watch.says("\"reapplied\""))
      let healed = try await sandbox.shell("pactl get-default-source")
      #expect(healed.standardOutput == "audiosession.input\n")
      // An order is refused, with the reason, and what was preferred stands.
      let order = try await sandbox.audiosession("apply", "measurement")
      #expect(order.status == 74, "\(order)")
      _ = try await sandbox.shell("rmdir \(store)/*.new")
      #expect(try await sandbox.audiosession("plan", "test").standardOutput == "nothing to do\n")
      #expect(try await sandbox.audiosession("apply", "test").status == 0)
      #expect(try await watch.end() == 143)
    }
  }

  @Test("where nobody may load modules: an error and nothing is changed, or all but the map")
  func modules() async throws {
    var configuration = SandboxConfiguration.minimal
    configuration.allowsModuleLoading = false
    try await PulseSandbox.with(configuration) { sandbox in
      try write(sandbox)
      let before = try await sandbox.audiosession("devices", "--all")
      let refused = try await sandbox.audiosession("apply", "test")
      #expect(refused.status == 71, "\(refused)")
      #expect(refused.standardError.contains("module-remap-source"))
      #expect(try await sandbox.audiosession("devices", "--all") == before)
      let effort = try await sandbox.audiosession("apply", "test", "--best-effort", "--json")
      #expect(effort.status == 3, "\(effort)")
      let properties = try JSONValue(effort.standardOutput)["properties"]
      #expect(properties?["channelMap"]?["verdict"] == .string("refused"))
      #expect(properties?["inputGain"]?["verdict"] == .string("applied"))
      #expect(try await mapVerdict(sandbox) == .string("refused"))
      #expect(try await sandbox.audiosession("revert").status == 0)
      #expect(try await sandbox.audiosession("devices", "--all") == before)
      // A holder keeps the rest.
      try sandbox.write(profile: "effort", "on-failure = \"best-effort\"\n" + Profiles.podcast)
      let watch = try await Watching.start(sandbox, "effort --json")
      let healed = try await sandbox.shell(
        """
        pactl set-default-source speakers.monitor
        until [ "$(pactl get-default-source)" = mic ]; do pause; done
        """)
      #expect(healed.status == 0, "\(healed)")
      #expect(try await mapVerdict(sandbox) == .string("refused"))
      #expect(try await watch.end() == 143)
    }
  }

  /// The verdict on the channel map that a process without a part in the apply reports.
  private func mapVerdict(_ sandbox: PulseSandbox) async throws -> JSONValue? {
    let state = try await sandbox.audiosession("state", "--json")
    return try JSONValue(state.standardOutput)["properties"]?["channelMap"]?["verdict"]
  }
}
