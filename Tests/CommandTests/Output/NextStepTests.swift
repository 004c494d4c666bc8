import PulseSandbox
import TestSupport
import Testing

/// Where a preference is not in effect, a reader finds what to type; it works from any folder.
@Suite("The next step", .timeLimit(.minutes(10)))
struct NextStepTests {
  private static let profile = """
    category = "record"
    [input]
    prefer = ["mic"]
    mute = false
    """

  /// Defines `audiosession`, `next` and `typed`, the suggested command with a word; mutes the input.
  private static let prelude = """
    audiosession() { $A "$@"; }
    next() { $A | sed -n 's/^  audiosession \\(apply .*[^ ]\\)   *[a-z ,]*$/\\1/p'; }
    mute() { pactl set-source-mute mic 1; until $A state | grep -q 'is muted'; do pause; done; }
    muted() { pactl get-source-mute mic; }

    """

  @Test(
    "a muted input without a holder: the command that maintains the profile unmutes it", .server)
  func mutedWithoutHolder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "my talk", Self.profile)
      let result = try await sandbox.shell(
        Self.prelude + """
          $A apply 'my talk' > /dev/null 2>&1; mute
          $A | grep ^session; $A state | grep -A1 'input muted'; $A state | grep 'no process'
          next; eval "audiosession $(next)" > /dev/null; muted; $A stop > /dev/null
          """)
      #expect(
        result.standardOutput == """
          session  profile my talk, not in effect: input muted; no running process maintains it
          input muted         overridden  yes  (preferred: no)
              Microphone is muted: it has changed since it was set; the session unmutes it only when the profile is applied again
                   no process maintains it now; this does: audiosession apply 'my talk' --keep
          apply 'my talk' --keep
          Mute: no

          """, "\(result)")
    }
  }

  @Test(
    "a muted input beside a holder: the command that applies the profile again unmutes it", .server)
  func mutedBesideHolder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        Self.prelude + """
          mkdir -p "\(sandbox.directory)/a folder"; cd "\(sandbox.directory)/a folder"
          cat > talk.toml <<'END'
          \(Self.profile)
          END
          $A apply talk.toml --keep > /dev/null; mute; cd /
          $A state | grep 'to restore'
          # On a narrow screen the command has its own line, for copying.
          NO_COLOR=1 script -qec 'stty cols 40; $A state' /dev/null | tr -d '\\r' | grep -A2 'to restore'
          next; eval "audiosession $(next)" > /dev/null; muted; $A | grep -c 'audiosession verify '
          $A stop > /dev/null
          """)
      let file = "'\(sandbox.directory)/a folder/talk.toml'"
      #expect(
        result.standardOutput == """
                   to restore what was changed since: audiosession apply \(file)
                   to restore what was changed
                   since:
                   audiosession apply \(file)
          apply \(file)
          Mute: no
          1

          """, "\(result)")
    }
  }

  @Test("what to type is for the server that was named", .server)
  func namedServer() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "talk", Self.profile)
      let result = try await sandbox.shell(
        """
        cd "\(sandbox.directory)"; s=$PULSE_SERVER
        typed() { sed -n "s/^  \\(audiosession $1\\)/\\1/p" | sed 's/  .*//'; }
        $A --server $s | typed '[dp]'
        $A apply talk --server $s > /dev/null 2>&1; pactl set-source-mute mic 1
        until $A state --server $s | grep -q 'is muted'; do pause; done
        $A state --server $s | sed -n 's/.*this does: //p'
        $A --server $s | typed apply
        $A verify --server $s --duration 500ms --json | grep -o 'pactl .* set-source-mute'
        cp $XDG_CONFIG_HOME/audiosession/profiles/talk.toml $XDG_CONFIG_HOME/audiosession/profiles/-x.toml
        $A revert > /dev/null; pactl set-source-mute mic 0
        $A apply --server $s -- -x > /dev/null 2>&1; $A --server $s | typed apply
        eval "$A $($A | typed apply | sed 's/^audiosession//')" > /dev/null && $A stop > /dev/null; echo $?
        pactl set-source-mute mic 1
        $A record a.wav --server $s --duration 100ms 2>&1 > /dev/null | grep -o 'pactl .*'
        """)
      let server = "--server=\(sandbox.address)"
      #expect(
        result.standardOutput == """
          audiosession doctor \(server)
          audiosession profiles
          audiosession apply talk --keep \(server)
          audiosession apply talk --keep \(server)
          pactl \(server) set-source-mute
          audiosession apply --keep \(server) -- -x
          0
          pactl \(server) set-source-mute mic 0

          """, "\(result)")
    }
  }

  @Test("a recording in place of a profile: what it is, and what takes it", .server)
  func recordingAsProfile() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd "\(sandbox.directory)"; $A record 'a talk.wav' --duration 300ms > /dev/null 2>&1
        $A verify 'a talk.wav'; echo $?; $A plan './a talk.wav' 2>/dev/null; echo $?
        """)
      #expect(result.standardOutput == "65\n65\n")
      #expect(
        result.standardError == """
          audiosession: 'a talk.wav' is a .wav file with sound, and this command takes a profile
            hear it: audiosession play 'a talk.wav'
            measure the input as it is: audiosession verify

          """, "\(result)")
    }
  }

  @Test(
    "a profile from a file: apply, state and doctor name the file, which works anywhere", .server)
  func profileFromFile() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        Self.prelude + """
          cd "\(sandbox.directory)"; printf '\(Self.profile.replacing("\n", with: "\\n"))' > talk.toml
          $A apply ./talk.toml > /dev/null 2>&1; mute; cd /
          $A state | grep ^session; $A state --json | grep '"profile"'
          line=$($A doctor --no-listen | sed -n 's/^    \\(audiosession apply .*\\)/\\1/p'); echo "$line"
          eval "$line" > /dev/null; muted; $A stop > /dev/null
          """)
      let file = "\(sandbox.directory)/talk.toml"
      #expect(
        result.standardOutput == """
          session  \(file), active
            "profile": "\(file)",
          audiosession apply \(file) --keep
          Mute: no

          """, "\(result)")
    }
  }
}
