import FoundationEssentials
import Glibc
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// Where the sound servers' settings are found, and how they are read.
@Suite struct ConfigurationFilesTests {
  /// A home with files in it, and what they say.
  private func files(
    _ contents: [String: String], _ body: (ConfigurationFiles, String) throws -> Void
  ) throws {
    let home = TemporaryFolder()
    for (name, text) in contents { home.write(text, to: name) }
    try body(ConfigurationFiles(environment: ["HOME": home.path]), home.path)
    withExtendedLifetime(home) {}
  }

  @Test func `comments and sections are left out, parts come after the file`() throws {
    try files([
      ".config/pulse/client.conf": "# autospawn = a\n; autospawn = b\n[x]\nautospawn = yes # why\n",
      ".config/pulse/client.conf.d/10.conf": "\n  autospawn=no  \n",
      ".config/pulse/client.conf.d/20.txt": "autospawn = never\n",
    ]) { files, home in
      let lines = files.clientSettings.filter { $0.key == "autospawn" }
      #expect(lines.map(\.value) == ["yes", "no"])
      #expect(files.clientSettings["autospawn"]?.number == 2)
      #expect(
        files.clientSettings["autospawn"]?.file == home + "/.config/pulse/client.conf.d/10.conf")
    }
  }

  @Test func `the modules of the start, with their lines`() throws {
    try files([
      ".config/pulse/default.pa":
        ".ifexists module-x.so\nload-module module-x a=1 b=2\n.endif\n#load-module module-y\n"
        + "load-module module-z\nset-default-sink x\n"
    ]) { files, home in
      let place = files.startupFile(isOfSystem: false)
      #expect(place == home + "/.config/pulse/default.pa")
      let startup = ConfigurationFiles.startup(place)
      #expect(startup.map(\.key) == ["module-x", "module-z"])
      #expect(startup.map(\.value) == ["a=1 b=2", ""])
      #expect(startup.map(\.number) == [2, 5])
      #expect(files.startupFile(isOfSystem: true) == "/etc/pulse/system.pa")
    }
  }

  @Test func `PipeWire's settings, in a section and on one line`() throws {
    try files([
      ".config/pipewire/pipewire.conf":
        "context.properties = {\n    #default.clock.allowed-rates = [ 1 ]\n"
        + "    default.clock.allowed-rates = [ 48000 ]\n}\n",
      ".config/pipewire/pipewire.conf.d/rates.conf":
        "context.properties = { default.clock.allowed-rates = [ 44100 48000 ] }\n",
    ]) { files, _ in
      let lines = files.graphSettings.filter { $0.key == "default.clock.allowed-rates" }
      #expect(lines.map(\.value) == ["[ 48000 ]", "[ 44100 48000 ]"])
    }
  }

  @Test func `PipeWire's settings over several lines, quoted, and with other separators`() throws {
    try files([
      ".config/pipewire/pipewire.conf":
        """
      # default.clock.rate = 1
      "context.properties": {
        "default.clock.rate": 44100, "link.max-buffers" : 16# why
        default.clock.allowed-rates = [
          44100, # both
          48000
        ]
        a = { b = c
        }
      }
      context.modules = [ { name = x args = { y = z } } ]
      context.objects = [
      """
    ]) { files, home in
      let lines = files.graphSettings.filter { $0.file.hasPrefix(home) }
      #expect(
        lines.map(\.key) == [
          "default.clock.rate", "link.max-buffers", "default.clock.allowed-rates", "b",
        ])
      #expect(lines.map(\.value) == ["44100", "16", "[ 44100 48000 ]", "c"])
      #expect(lines.map(\.number) == [3, 3, 4, 8])
    }
  }

  @Test func `a server of the system has no user's files`() {
    let files = ConfigurationFiles(environment: [:])
    #expect(files.graphPlace == "/etc/pipewire/pipewire.conf.d/rates.conf")
    #expect(files.pulseFile("daemon.conf", "PULSE_CONFIG") == "/etc/pulse/daemon.conf")
  }

  @Test func `variables name other files`() throws {
    try files(["a/client.conf": "x = 1\n", "b/pulse/cookie": "x"]) { _, home in
      let named = ConfigurationFiles(environment: ["PULSE_CLIENTCONFIG": "\(home)/a/client.conf"])
      #expect(named.clientSettings["x"]?.value == "1")
      let folder = ConfigurationFiles(environment: ["XDG_CONFIG_HOME": "\(home)/b"])
      #expect(folder.cookie == "\(home)/b/pulse/cookie")
      #expect(MachineFacts.Cookie.read(folder.cookie) == .wrongSize(1))
      #expect(MachineFacts.Cookie.read("\(home)/none") == .missing)
      #expect(MachineFacts.Cookie.read(home) == .unreadable("it is no file"))
    }
  }

  @Test func `a server at this machine's own name is on no other machine`() {
    var own = [CChar](repeating: 0, count: 256)
    gethostname(&own, own.count - 1)
    let name = own.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    for host in [name, "localhost", "127.0.0.1", "[::1]"] {
      #expect(AudioSession.otherHost(of: "tcp:\(host):4713") == nil, "\(host)")
    }
    #expect(AudioSession.otherHost(of: "unix:/x") == nil)
    #expect(AudioSession.otherHost(of: "tcp:studio.example:4713") == "studio.example")
  }
}
