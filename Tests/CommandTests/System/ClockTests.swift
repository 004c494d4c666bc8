import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips where no compiler makes the stand-in for the clock.
  static var compiler: Self {
    .enabled(if: access("/usr/bin/cc", X_OK) == 0, "needs the package gcc")
  }
}

/// Clocks that jump, for the program alone: a library put before libc's adds to what they say.
@Suite("A clock that jumps", .server, .compiler, .timeLimit(.minutes(10)))
struct ClockTests {
  /// Reads `REALTIME BOOTTIME`, in seconds, from the file that `CLOCK_JUMP` names.
  private static let library = """
    #define _GNU_SOURCE
    #include <stdio.h>
    #include <stdlib.h>
    #include <fcntl.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static long jump(int which) {
      char text[64] = {0};
      long by[2] = {0, 0};
      const char *path = getenv("CLOCK_JUMP");
      int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      if (file < 0) return 0;
      if (read(file, text, sizeof text - 1) > 0) sscanf(text, "%ld %ld", &by[0], &by[1]);
      close(file);
      return by[which];
    }

    int clock_gettime(clockid_t id, struct timespec *time) {
      int result = syscall(SYS_clock_gettime, id, time);
      if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) time->tv_sec += jump(0);
      if (id == CLOCK_BOOTTIME) time->tv_sec += jump(1);
      return result;
    }

    int gettimeofday(struct timeval *restrict time, void *restrict zone) {
      (void)zone;
      int result = syscall(SYS_gettimeofday, time, 0);
      time->tv_sec += jump(0);
      return result;
    }
    """

  private func withClock(
    _ configuration: SandboxConfiguration = .minimal,
    _ body: (PulseSandbox, _ environment: String, _ set: (String) async throws -> Void) async throws
      -> Void
  ) async throws {
    try await PulseSandbox.with(configuration) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let source = try await sandbox.write(file: "clock.c", Self.library)
      let jump = try await sandbox.write(file: "jump", "0 0\n")
      let made = try await sandbox.shell(
        "/usr/bin/cc -shared -fPIC -o \(sandbox.directory)/clock.so \(source)")
      #expect(made.status == 0, "\(made)")
      let environment = "CLOCK_JUMP=\(jump) LD_PRELOAD=\(sandbox.directory)/clock.so"
      try await body(sandbox, environment) { text in
        // Never half of it is there.
        let set = try await sandbox.shell("echo '\(text)' > \(jump).new; mv \(jump).new \(jump)")
        #expect(set.status == 0)
      }
    }
  }

  @Test("while a holder keeps: what others change is put back, and a restart is lived through")
  func holder() async throws {
    try await withClock { sandbox, environment, set in
      let watch = try await Watching.start(sandbox, "test --json", environment: environment)
      // A day ahead, a day back, an hour asleep.
      for jump in ["86400 0", "-86400 0", "0 3600"] {
        try await set(jump)
        let healed = try await sandbox.shell(
          """
          pactl set-default-source mic
          until [ "$(pactl get-default-source)" = audiosession.input ]; do pause; done
          """)
        #expect(healed.status == 0, "\(jump): \(healed)")
      }
      try await set("3600 7200")
      try await sandbox.resetMediaServices()
      #expect(try await watch.says("\"serverReset\""))
      #expect(try await sandbox.audiosession("plan", "test").standardOutput == "nothing to do\n")
      #expect(try await watch.end() == 143)
    }
  }

  @Test(
    "after sleep: the reason of a new route is that the machine woke up, and no alarm from before it delays the look",
    .pipewire, arguments: [ServerKind.pulseaudio, .pipewire])
  func sleep(_ kind: ServerKind) async throws {
    try await withClock(.minimal(on: kind)) { sandbox, environment, set in
      try sandbox.write(
        profile: "late", "category = \"playback\"\n[output]\nprefer = [\"late\", \"*\"]\n")
      let watch = try await Watching.start(sandbox, "late --json", environment: environment)
      try await set("0 3600")
      let loaded = try await sandbox.shell("pactl load-module module-null-sink sink_name=late")
      #expect(loaded.status == 0, "\(loaded)")
      let start = ContinuousClock.now
      #expect(try await watch.says("\"wakeFromSleep\""))
      // On PipeWire the next look was planned for 15 s later.
      #expect(ContinuousClock.now - start < .seconds(12))
      #expect(try await watch.end() == 143)
    }
  }

  private static let card = "alsa_card.usb-Example_USB_Microphone-00"

  /// A card whose microphone delivers nothing, until its profile was changed and restored so often.
  @Test(
    "after sleep: a microphone that delivers nothing is revived, or given up after three attempts",
    .bothServers, arguments: servers, [1, 2, 9])
  func stalled(_ kind: ServerKind, _ devices: Int) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=laptop", "kind=usb-mic"], on: kind))
    try await withClock(configuration) { sandbox, environment, set in
      try sandbox.write(
        profile: "test",
        """
        category = "record"
        [input]
        prefer = ["*usb*"]
        gain = "40 %"
        channel-map = "left"
        """)
      let before = try await sandbox.shell(Self.shown)
      let watch = try await Watching.start(sandbox, "test --json", environment: environment)
      let applied = try await sandbox.shell(Self.shown)
      #expect(applied.standardOutput != before.standardOutput)
      try await sandbox.tell(Self.card, "die", "\(devices)")
      try await set("0 3600")
      try await wake(sandbox)
      // A busy machine may count an attempt whose sound came too late.
      let attempts = "[\(min(devices, 3))-3]"
      #expect(
        try await watch.says(
          "\"deviceStalled\".*\"attempts\":\(attempts),\"revived\":\(devices <= 3)"))
      let settled = try await sandbox.shell(
        """
        until [ "$($A plan test)" = "nothing to do" ]; do pause; done
        pactl unload-module module-null-sink; \(Self.shown)
        """)
      #expect(settled.standardOutput == applied.standardOutput, "\(settled)")
      #expect(try await watch.lines().count { $0.contains("deviceStalled") } == 1)
      #expect(try await watch.end() == 143)
      let reverted = try await sandbox.shell("$A revert > /dev/null; \(Self.shown)")
      #expect(reverted.standardOutput == before.standardOutput, "\(reverted)")
    }
  }

  @Test(
    "after sleep: a microphone that is unplugged while it is revived is not called revived",
    .bothServers, arguments: servers)
  func unpluggedMeanwhile(_ kind: ServerKind) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=laptop", "kind=usb-mic"], on: kind))
    try await withClock(configuration) { sandbox, environment, set in
      try sandbox.write(profile: "test", "category = \"record\"\n[input]\nprefer = [\"*usb*\"]\n")
      let watch = try await Watching.start(sandbox, "test --json", environment: environment)
      let index = "pactl list short sources | awk '$2 ~ /^alsa_input.usb/ { print $1 }'"
      let first = try await sandbox.shell(index).standardOutput.filter(\.isNumber)
      try await sandbox.tell(Self.card, "die", "9")
      try await set("0 3600")
      try await wake(sandbox)
      // It has another index once its card was off and on; then the session looks whether that helped.
      let probed = try await sandbox.shell(
        """
        for i in $(seq 1500); do
          now=$(\(index))
          if [ -n "$now" ] && [ "$now" != \(first) ]; then
            pactl list source-outputs | grep -q 'Audio session probe' &&
              exec $A sandbox simulate unplug \(Self.card)
          fi
          pause
        done
        exit 9
        """)
      #expect(probed.status == 0, "\(probed)")
      #expect(try await watch.says("\"routeChanged\".*alsa_input.pci"))
      #expect(try await watch.end() == 143)
      #expect(try await watch.lines().count { $0.contains("\"revived\":true") } == 0)
    }
  }

  @Test(
    "after sleep: an output that takes nothing is revived, with its volume", .bothServers,
    arguments: servers)
  func stalledOutput(_ kind: ServerKind) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=laptop"], on: kind))
    try await withClock(configuration) { sandbox, environment, set in
      try sandbox.write(profile: "test", "category = \"playback\"\n[output]\nvolume = \"40 %\"\n")
      let watch = try await Watching.start(sandbox, "test --json", environment: environment)
      let volume = "pactl get-sink-volume @DEFAULT_SINK@; pactl list cards | grep Active"
      let applied = try await sandbox.shell(volume)
      try await sandbox.tell("alsa_card.pci-0000_00_1f.3", "die-output", "2")
      try await set("0 3600")
      try await wake(sandbox)
      // A busy machine may count an attempt that came too late.
      #expect(try await watch.says("\"deviceStalled\".*\"attempts\":[23],\"revived\":true"))
      let settled = try await sandbox.shell(
        "until [ \"$($A plan test)\" = \"nothing to do\" ]; do pause; done; \(volume)")
      #expect(settled.standardOutput == applied.standardOutput, "\(settled)")
      #expect(try await watch.end() == 143)
    }
  }

  private static let servers = [ServerKind.pulseaudio, .pipewire]

  /// Makes an event, upon which a holder notices that the machine was asleep.
  private func wake(_ sandbox: PulseSandbox) async throws {
    let loaded = try await sandbox.shell("pactl load-module module-null-sink sink_name=late")
    #expect(loaded.status == 0, "\(loaded)")
  }

  /// The profiles, the defaults and the microphone's gain.
  private static let shown = """
    pactl list cards | grep -E 'Name:|Active Profile'; pactl get-default-source
    pactl get-default-sink
    pactl get-source-volume alsa_input.usb-Example_USB_Microphone-00.analog-stereo
    """

  @Test("while a command applies and another holds: done, or timed out and nothing changed")
  func applying() async throws {
    try await withClock { sandbox, environment, set in
      let before = try await sandbox.audiosession("devices", "--all")
      let result = try await sandbox.shell(
        """
        jump=\(sandbox.directory)/jump
        (while :; do
          for by in '86400 0' '-86400 0' '0 0'; do
            echo "$by" > $jump.next; mv $jump.next $jump; sleep 0.003
          done
        done) & flipping=$!
        for i in 1 2 3 4 5 6 7 8; do
          env \(environment) $A apply test > /dev/null || echo "apply: $?"
          [ "$($A plan test)" = "nothing to do" ] || echo "not applied"
          env \(environment) $A revert > /dev/null || echo "revert: $?"
        done
        kill $flipping
        """)
      #expect(result.standardOutput == "", "\(result)")
      #expect(try await sandbox.audiosession("devices", "--all") == before)
      // Handed over to a holder whose time is another day's.
      let watch = try await Watching.start(sandbox, "test --json")
      try await set("-172800 0")
      let order = try await sandbox.shell("env \(environment) $A revert")
      #expect(order.status == 0, "\(order)")
      #expect(try await sandbox.audiosession("devices", "--all") == before)
      #expect(try await watch.end() == 143)
    }
  }
}
