/// The man page, made from the commands' help.
struct ManualPage {
  /// The argument parser's description of a program.
  struct Tool: Decodable {
    var command: Command
  }

  /// A command with its arguments and subcommands.
  struct Command: Decodable {
    var superCommands: [String]?
    var shouldDisplay: Bool?
    var commandName: String
    var abstract: String?
    var discussion: String?
    var subcommands: [Command]?
    var arguments: [Argument]?

    var fullName: String { ((superCommands ?? []) + [commandName]).joined(separator: " ") }

    /// This command and all below it with contents, except help.
    var all: [Command] {
      guard shouldDisplay != false, commandName != "help" else { return [] }
      return [self] + (subcommands ?? []).flatMap(\.all)
    }
  }

  /// An argument, option or flag.
  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String

      var text: String { (kind == "long" ? "--" : "-") + name }
    }

    var kind: String
    var shouldDisplay: Bool?
    var sectionTitle: String?
    var isOptional: Bool?
    var isRepeating: Bool?
    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var abstract: String?

    /// Whether every command has it, so that the page has it once.
    var isGlobal: Bool {
      sectionTitle != nil || names?.contains { ["help", "version"].contains($0.name) } == true
    }
  }

  private let root: Command
  private var lines: [String] = []

  init(_ root: Command) {
    self.root = root
    header()
    lines.append(".SH COMMANDS")
    for command in root.all.dropFirst() { describe(command) }
    lines.append(".SH OPTIONS FOR EVERY COMMAND")
    for argument in root.arguments ?? [] where argument.shouldDisplay != false {
      describe(argument)
    }
    for (title, entries) in Self.sections {
      lines.append(".SH \(title)")
      for (name, text) in entries { lines += [".TP", ".B \(Self.escaped(name))", Self.line(text)] }
    }
    lines.append(".SH SEE ALSO")
    lines += Topic.all.map { ".BR audiosession\\-\($0.name) (\($0.section))," }
    lines += [".BR pactl (1),", ".BR pulseaudio (1),", ".BR systemd.service (5)"]
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  private mutating func header() {
    let name = root.commandName
    lines += [
      ".TH \(name.uppercased()) 1 \"\" \"\(name) \(programVersion)\" \"User Commands\"",
      ".SH NAME", "\(name) \\- \(Self.escaped(root.abstract ?? ""))",
      ".SH SYNOPSIS", ".B \(name)", ".I command", "[\\fIarguments\\fR] [\\fIoptions\\fR]",
      ".SH DESCRIPTION",
    ]
    paragraphs(root.discussion)
  }

  private mutating func describe(_ command: Command) {
    let own = (command.arguments ?? []).filter { $0.shouldDisplay != false && !$0.isGlobal }
    // A command that only groups others has no contents.
    guard command.subcommands?.isEmpty != false || command.discussion != nil else { return }
    let usage = own.map(Self.usage).joined(separator: " ")
    lines += [".SS \(Self.escaped(command.fullName)) \(usage)"]
    if let abstract = command.abstract { lines.append(Self.line(abstract)) }
    if let discussion = command.discussion {
      lines.append(".PP")
      paragraphs(discussion)
    }
    for argument in own { describe(argument) }
  }

  private mutating func describe(_ argument: Argument) {
    let names = (argument.names ?? []).map(\.text).joined(separator: ", ")
    let value = argument.valueName.map { "\\fI\(Self.escaped($0))\\fR" } ?? ""
    let title =
      switch argument.kind {
      case "positional": value
      case "option": "\\fB\(Self.escaped(names))\\fR \(value)"
      default: "\\fB\(Self.escaped(names))\\fR"
      }
    let standard = argument.defaultValue.map { " (default: \($0))" } ?? ""
    lines += [".TP", title, Self.line((argument.abstract ?? "") + standard)]
  }

  private mutating func paragraphs(_ text: String?) {
    let parts = (text ?? "").split(separator: "\n\n").map(String.init)
    for (at, part) in parts.enumerated() {
      if at > 0 { lines.append(".PP") }
      lines.append(Self.line(part))
    }
  }

  private static func usage(_ argument: Argument) -> String {
    let value = argument.valueName.map { "\\fI\(escaped($0))\\fR" } ?? ""
    let repeated = argument.isRepeating == true ? "..." : ""
    let name = argument.names?.last?.text ?? ""
    let text =
      switch argument.kind {
      case "positional": value + repeated
      case "option": "\(escaped(name)) \(value)"
      default: escaped(name)
      }
    return argument.isOptional == true ? "[\(text)]" : text
  }

  /// A line of text, escaped so that roff does not interpret it as a request.
  static func line(_ text: String) -> String {
    let text = escaped(text)
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\n", with: "\n.br\n")
  }
}
