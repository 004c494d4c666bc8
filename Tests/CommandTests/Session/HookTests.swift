import Glibc
import PulseSandbox
import TestSupport
import Testing

@testable import POSIX

@Suite("Hooks", .timeLimit(.minutes(10)))
struct HookTests {
  /// Writes executables into `hooks/`, each a line of shell; `$L` is a file to log to.
  private func install(
    _ hooks: [(place: String, line: String)], in sandbox: PulseSandbox
  ) async throws {
    let config = try #require(sandbox.environment["XDG_CONFIG_HOME"])
    for (place, line) in hooks {
      let path = "\(config)/audiosession/hooks/\(place)"
      let text = "#!/bin/sh\nL=\(sandbox.directory)/hooks.log\n\(line)\n"
      let written = try await sandbox.write(file: "hook", text)
      let result = try await sandbox.shell("install -D -m 0755 \(written) \(path)")
      try #require(result.status == 0, "\(result.standardError)")
    }
  }

  private func log(_ sandbox: PulseSandbox) async throws -> [String] {
    try await sandbox.shell("cat \(sandbox.directory)/hooks.log 2> /dev/null").standardOutput
      .split(separator: "\n").map(String.init)
  }

  @Test("before and after a change, in the order of names, with what they are told", .server)
  func order() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let say = #"echo "$AUDIOSESSION_HOOK $0 $AUDIOSESSION_PROFILE $AUDIOSESSION_INPUT" >> $L"#
      let short = say.replacing("$0", with: "$(basename $0)")
      try await install(
        [
          ("post-apply.d/20-b", short), ("post-apply.d/10-a", short), ("pre-apply.d/x", short),
          ("pre-revert.d/x", short), ("post-revert.d/x", short),
          (
            "post-apply.d/30-json",
            #"grep -o '"verdict": "applied"' | sort -u >> $L; pactl get-default-source >> $L"#
          ),
        ], in: sandbox)
      #expect(try await sandbox.audiosession("plan", "test").status == 0)
      #expect(try await log(sandbox) == [])
      let apply = try await sandbox.audiosession("apply", "test")
      #expect(apply.status == 0 && !apply.standardError.contains("hook"), "\(apply)")
      #expect(
        try await log(sandbox) == [
          "pre-apply x test mic", "post-apply 10-a test mic", "post-apply 20-b test mic",
          #""verdict": "applied""#, "audiosession.input",
        ])
      _ = try await sandbox.audiosession("revert")
      #expect(
        try await log(sandbox).suffix(2) == ["pre-revert x test mic", "post-revert x  mic"])
    }
  }

  @Test("a failure is said and changes nothing; what hangs is ended", .server)
  func failures() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      try sandbox.write(profile: "missing", Profiles.missing)
      try await install(
        [
          ("pre-apply.d/1-fails", "echo went wrong >&2; exit 7"),
          ("pre-apply.d/2-hangs", "exec sleep 60"), ("pre-apply.d/3-late", "echo late >> $L"),
          ("post-apply.d/after", "echo after >> $L"),
          ("apply-failed.d/x", #"echo "$AUDIOSESSION_ERROR" >> $L"#),
        ], in: sandbox)
      let apply = try await sandbox.audiosession("apply", "test", "--timeout", "30s")
      #expect(apply.status == 0)
      let lines = apply.standardError.split(separator: "\n")
      try #require(lines.count >= 3, "\(apply)")
      #expect(lines[0].hasSuffix("1-fails ended with 7: went wrong"))
      #expect(lines[1].hasSuffix("2-hangs was ended: it took too long"))
      #expect(lines[2].hasSuffix("3-late is not run: those before it took all of the time"))
      #expect(try await log(sandbox) == ["after"])
      let missing = try await sandbox.audiosession("apply", "missing", "--timeout", "30s")
      #expect(missing.status == 78)
      #expect(try await log(sandbox).last?.hasPrefix("no usable input") == true)
    }
  }

  @Test("a folder of hooks that cannot be read is not taken for an empty one", .server)
  func unreadable() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.shell(
        """
        hooks=$XDG_CONFIG_HOME/audiosession/hooks; mkdir -p $hooks
        ln -s post-apply.d $hooks/post-apply.d; $A apply test > /dev/null
        """)
      #expect(result.status == 0)
      #expect(
        result.standardError.contains("/post-apply.d is not run: it cannot be read"), "\(result)")
    }
  }

  @Test("not from where others can write, not what is no program, not inside a hook", .server)
  func safety() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let own = "\(builtProgram) apply test >> $L 2>&1; echo own >> $L"
      try await install(
        [
          ("pre-apply.d/theirs", "echo theirs >> $L"), ("post-apply.d/own", own),
          ("post-apply.d/plain", "echo plain >> $L"), ("post-apply.d/.hidden", "echo hidden >> $L"),
          ("post-apply.d/open", "echo open >> $L"),
        ], in: sandbox)
      let config = try #require(sandbox.environment["XDG_CONFIG_HOME"])
      let hooks = config + "/audiosession/hooks"
      _ = try await sandbox.shell(
        """
        chmod go+w \(hooks)/pre-apply.d \(hooks)/post-apply.d/open
        chmod a-x \(hooks)/post-apply.d/plain
        """)
      let apply = try await sandbox.audiosession("apply", "test")
      #expect(apply.status == 0)
      let lines = apply.standardError.split(separator: "\n").filter { $0.contains("hook") }
      #expect(lines.count == 2, "\(apply.standardError)")
      #expect(
        lines.first?.hasSuffix(
          "pre-apply.d/theirs is not run: others can write to \(hooks)/pre-apply.d") == true)
      #expect(lines.last?.hasSuffix("others can write to \(hooks)/post-apply.d/open") == true)
      let log = try await log(sandbox)
      #expect(log.first == "nothing to do")
      #expect(log.filter { $0 == "own" }.count == 1)
      #expect(!log.contains { ["theirs", "plain", "hidden", "open"].contains($0) })
    }
  }

  @Test("a group that is the owner's alone may write", .server, .enabled(if: getuid() == 0))
  func ownGroup() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let names = ["listed", "own", "shared"]
      try await install(names.map { ("post-apply.d/\($0)", "echo \($0) >> $L") }, in: sandbox)
      let config = try #require(sandbox.environment["XDG_CONFIG_HOME"])
      let hooks = config + "/audiosession/hooks/post-apply.d"
      // The group 1 is a system's own.
      let prepared = try await sandbox.shell("chmod g+w \(hooks)/* && chgrp 1 \(hooks)/shared")
      try #require(prepared.status == 0, "\(prepared)")
      #expect(File.hasAccessList(hooks + "/own") == false)
      let refused = (letOthersWrite(hooks + "/listed") ? ["listed"] : []) + ["shared"]
      let apply = try await sandbox.audiosession("apply", "test")
      #expect(apply.status == 0)
      let lines = apply.standardError.split(separator: "\n").filter { $0.contains("hook") }
      #expect(lines.count == refused.count, "\(apply)")
      for (line, name) in zip(lines, refused) {
        #expect(line.hasSuffix("\(name) is not run: others can write to \(hooks)/\(name)"))
      }
      #expect(try await log(sandbox) == names.filter { !refused.contains($0) })
    }
  }

  /// Gives a file an access list with another user; false where the file system has none.
  private func letOthersWrite(_ path: String) -> Bool {
    typealias Function =
      @convention(c) (
        UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32
      ) -> Int32
    guard let symbol = dlsym(nil, "setxattr") else { return false }
    // The owner, user 1, the group, the mask and others: kind, rights, number.
    let none: [UInt8] = [255, 255, 255, 255]
    let entries: [(UInt8, UInt8, [UInt8])] = [
      (1, 7, none), (2, 7, [1, 0, 0, 0]), (4, 5, none), (16, 7, none), (32, 5, none),
    ]
    // The version comes first.
    var list: [UInt8] = [2, 0, 0, 0]
    for (kind, rights, number) in entries {
      list += [kind, 0, rights, 0]
      list += number
    }
    let call = unsafeBitCast(symbol, to: Function.self)
    return call(path, "system.posix_acl_access", list, list.count, 0) == 0
  }

  @Test("a group is the user's own if it has the user's name and no other member")
  func privateGroup() {
    let user = Accounts.User(name: "user", group: 1000)
    func isPrivate(_ number: gid_t, _ name: String, _ members: [String]) -> Bool {
      Accounts.Group(number: number, name: name, members: members).isPrivate(to: user)
    }
    #expect(isPrivate(1000, "user", []) && isPrivate(1000, "user", ["user"]))
    #expect(!isPrivate(1000, "user", ["user", "other"]) && !isPrivate(1001, "user", []))
    // Other users may have it as their primary group, too, which its members do not show.
    #expect(!isPrivate(1000, "users", []))
    #expect(Accounts.findUser(0)?.name == "root" && Accounts.findGroup(0)?.name == "root")
    #expect(Accounts.findUser(.max) == nil && Accounts.findGroup(.max) == nil)
  }

  @Test("a hook that applies a profile through a holder triggers no further hooks", .server)
  func noLoop() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      try sandbox.write(profile: "other", Profiles.podcast.replacing("80 %", with: "30 %"))
      try await install(
        [
          ("post-apply.d/x", "\(builtProgram) apply other > /dev/null 2>&1; echo own >> $L"),
          ("post-revert.d/x", "echo reverted >> $L"),
        ], in: sandbox)
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A watch > out 2>&1 & pid=$!
        until $A state --json | grep -q "\\"pid\\": $pid"; do kill -0 $pid || exit 9; pause; done
        $A apply test > /dev/null || exit 8
        until grep -q own hooks.log 2> /dev/null; do pause; done
        $A revert > /dev/null || exit 7
        until grep -q reverted hooks.log; do pause; done
        kill $pid; wait $pid; exit 0
        """)
      #expect(result.status == 0, "\(result)")
      #expect(try await log(sandbox) == ["own", "reverted"])
    }
  }

  @Test("a holder that a hook starts runs hooks, with what they are told alone", .server)
  func holderOfHook() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      try sandbox.write(profile: "other", Profiles.podcast.replacing("80 %", with: "30 %"))
      let say = #"echo "$AUDIOSESSION_HOOK $AUDIOSESSION_PROFILE $AUDIOSESSION_ERROR" >> $L"#
      try await install([("post-apply.d/x", say)], in: sandbox)
      // A holder that ends waits for its hooks.
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        AUDIOSESSION_HOOK=apply-failed AUDIOSESSION_ERROR=before $A apply test --keep > /dev/null || exit 9
        $A apply other > /dev/null || exit 8
        $A stop > /dev/null || exit 7
        """)
      #expect(result.status == 0, "\(result)")
      #expect(try await log(sandbox) == ["post-apply other "])
    }
  }

  @Test("the holder that does the work runs them, once; events have theirs", .server)
  func holder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let say = #"echo "$AUDIOSESSION_HOOK $AUDIOSESSION_PROFILE $AUDIOSESSION_REASON" >> $L"#
      try await install(
        ["pre-apply", "post-apply", "started", "route-changed", "stopped"].map {
          ("\($0).d/x", say)
        }, in: sandbox)
      let script = """
        cd \(sandbox.directory)
        $A watch > out 2> err & pid=$!
        await() { until grep -q "$1" $2 2>/dev/null; do kill -0 $pid || { cat err; exit 9; }; sleep 0.02; done; }
        await started hooks.log
        $A apply test > apply 2>&1
        await post-apply hooks.log
        $A revert > revert 2>&1
        await route-changed hooks.log
        kill -TERM $pid
        wait $pid
        echo $?
        cat apply err
        """
      let result = try await sandbox.capture(
        ["env", "A=\(builtProgram) --timeout 60s", "sh", "-c", script], timeout: .seconds(180))
      #expect(result.standardOutput.hasPrefix("143\n"), "\(result)")
      #expect(!result.standardOutput.contains("hook"), "\(result)")
      let log = try await log(sandbox)
      #expect(log.filter { $0.hasPrefix("pre-apply") } == ["pre-apply test "])
      #expect(log.filter { $0.hasPrefix("post-apply") } == ["post-apply test "])
      #expect(log.contains("route-changed  categoryChange"))
      #expect(log.first == "started  ")
      #expect(log.last?.hasPrefix("stopped") == true)
    }
  }

  @Test("the result does not wait for those after a change; -v shows what they print", .server)
  func resultFirst() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      try sandbox.write(profile: "missing", Profiles.missing)
      try await install(
        [
          (
            "post-apply.d/x",
            "until [ -e ${L%/*}/printed ]; do sleep 0.02; done; echo hello; echo >&2 there"
          ),
          ("apply-failed.d/x", "until [ -e ${L%/*}/failed ]; do sleep 0.02; done"),
        ], in: sandbox)
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A apply test -v 2> err | { grep -m 1 -c applied; touch printed; cat > rest; }
        grep -E 'hello|there' err | sed 's/.*post-apply/post-apply/' | sort
        $A apply missing 2>&1 | { grep -m 1 -c 'no usable input'; touch failed; cat > rest; }
        """)
      #expect(
        result.standardOutput == """
          1
          post-apply.d/x: hello
          post-apply.d/x: there
          1

          """, "\(result)")
    }
  }

  @Test("those of a holder's end keep neither stop nor revert --stop waiting", .server)
  func slowEnd() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      try await install([("stopped.d/x", "exec sleep 20")], in: sandbox)
      let result = try await sandbox.shell(
        """
        for command in stop "revert --stop"; do
          i=0
          while :; do
            $A apply test --keep > /dev/null || exit 9
            holder=$($A state --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p')
            $A $command > \(sandbox.directory)/said 2>&1 || exit 8
            # It waits for its hook for five seconds, in which the machine may stand still.
            [ ! -e /proc/$holder/exe ] || break
            i=$((i + 1)); echo try >&2; [ $i -lt 5 ] || exit 7
          done
          cat \(sandbox.directory)/said; echo "it was (process $holder)"
        done
        """)
      noteTries(result.standardError, of: 5)
      #expect(result.status == 0, "\(result)")
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      let holders = lines.filter { $0.hasPrefix("it was ") }.map { String($0.dropFirst(7)) }
      try #require(holders.count == 2, "\(result)")
      #expect(lines.contains { $0.hasPrefix("Stopped") && $0.contains(holders[0]) }, "\(result)")
      #expect(lines.contains { $0.contains("40 % → 100 %") }, "\(result)")
      #expect(lines.contains { $0.contains("stopped") && $0.contains(holders[1]) }, "\(result)")
    }
  }

  @Test("that are slow get the newest of each kind, and the end has one deadline", .server)
  func slow() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      // Each takes ten times as long as what causes it; all the output of one is far more than memory.
      try await install(
        [
          ("reapplied.d/x", "echo begun >> $L; exec sleep 20"), ("stopped.d/x", "exec sleep 20"),
          ("started.d/x", "echo loud >> $L; head -c 300000000 /dev/zero; echo quiet >> $L"),
        ], in: sandbox)
      let script = """
        cd \(sandbox.directory)
        $A watch test > out 2> err & pid=$!
        until grep -q quiet hooks.log 2>/dev/null; do kill -0 $pid || { cat err; exit 9; }; sleep 0.02; done
        grep VmHWM /proc/$pid/status | tr -dc 0-9; echo
        for i in 1 2 3 4; do
          pactl set-default-source mic
          until [ "$(grep -c reapplied out)" -ge $i ]; do sleep 0.02; done
        done
        until grep -q begun hooks.log; do sleep 0.02; done
        begin=$(date +%s%N); kill -TERM $pid; wait $pid; code=$?; end=$(date +%s%N)
        echo $code; echo $(( (end - begin) / 1000000 )); cat err
        """
      let result = try await sandbox.capture(
        ["env", "A=\(builtProgram) --timeout 60s", "sh", "-c", script], timeout: .seconds(180))
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      try #require(lines.count >= 3, "\(result)")
      #expect(try #require(Int(lines[0])) < 200_000, "kilobytes")
      #expect(lines[1] == "143", "\(result)")
      #expect(try #require(Int(lines[2])) < 15_000, "ms to the end")
      #expect(try await log(sandbox).filter { $0 == "begun" }.count == 1)
    }
  }
}
