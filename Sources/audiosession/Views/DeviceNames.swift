import AudioSession
import PulseTypes

/// The names by which people know devices and cards, in place of the server's.
struct DeviceNames {
  /// The server's names as they are: with `-v`.
  static let none = DeviceNames([], isForPeople: false)

  /// What a server names, and how people know it.
  struct Entry {
    let name: String
    let description: String
    let kind: String
  }

  /// By the server's name, with what distinguishes equal descriptions.
  private let names: [String: String]
  /// The same for text whose place tells whether an input or an output is meant.
  private let plain: [String: String]
  /// The programs of streams, by what a setting calls these.
  private let programs: [String: String]
  /// Whether a device that tells its own description is shown by it.
  private let isForPeople: Bool

  /// Whether the server's names are shown: with `-v`, and without a server.
  var isEmpty: Bool { names.isEmpty }

  /// The names of everything on a server.
  init(_ snapshot: ServerSnapshot) {
    let devices = Direction.allCases.flatMap { direction in
      snapshot.devices(direction).map {
        Entry(name: $0.name, description: $0.description, kind: direction.rawValue)
      }
    }
    let cards = snapshot.cards.map {
      Entry(
        name: $0.name, description: $0.properties["device.description"] ?? "", kind: "card")
    }
    let programs = Direction.allCases.flatMap { direction in
      snapshot.streams(direction).map {
        (Setting.stream(direction, $0.index).object, snapshot.programName(of: $0))
      }
    }
    self.init(devices + cards, programs: Dictionary(programs) { first, _ in first })
  }

  init(_ entries: [Entry], programs: [String: String] = [:], isForPeople: Bool = true) {
    self.programs = programs
    self.isForPeople = isForPeople
    // The session's own devices keep their short names, as in the documentation.
    let entries = entries.filter {
      !$0.description.isEmpty && $0.description != $0.name && !Owned.isName($0.name)
    }
    let all = Dictionary(grouping: entries, by: \.description)
    (names, plain) = entries.reduce(into: ([:], [:])) { result, entry in
      let same = all[entry.description, default: []]
      // Two microphones of one make: only the server's names tell which is which.
      guard same.count(where: { $0.kind == entry.kind }) == 1 else { return }
      result.0[entry.name] =
        same.count == 1 ? entry.description : "\(entry.description) (\(entry.kind))"
      result.1[entry.name] = entry.description
    }
  }

  /// The name of a device where an input or an output is expected.
  subscript(name: String) -> String { plain[name] ?? name }

  /// The program of a stream's setting, to go after its name: ` (firefox)`; empty for other settings.
  func program(of setting: Setting) -> String {
    programs[setting.object].map { " (\($0))" } ?? ""
  }

  func list(_ devices: [RouteDevice]) -> String {
    let all = devices.map { device in
      isForPeople && !device.description.isEmpty ? device.description : device.name
    }
    return all.isEmpty ? "none" : all.joined(separator: " + ")
  }

  /// A sentence with the names that people know.
  func text(_ text: String) -> String {
    guard !names.isEmpty else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(where: Self.isPart) {
      result += rest[..<start]
      let word = rest[start...].prefix(while: Self.isPart)
      rest = rest[word.endIndex...]
      // A full stop ends a sentence, and a name never ends in one.
      let name = word.last == "." ? word.dropLast() : word
      result += (names[String(name)] ?? String(name)) + word[name.endIndex...]
    }
    return result + rest
  }

  private static func isPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.-".contains(character)
  }
}

extension Context {
  /// The names for text: those that people know, with `-v` the server's.
  func names(_ snapshot: ServerSnapshot?) -> DeviceNames {
    guard options.verbose == 0 else { return .none }
    return snapshot.map(DeviceNames.init) ?? DeviceNames([])
  }
}

extension Device {
  /// The name by which people know it.
  var title: String { description.isEmpty ? name : description }
}

extension ServerSnapshot {
  /// The source that a word of the command line means: the one of that name, otherwise the microphone
  /// that people call so, or whose description alone has that part; throws if several do.
  func source(called word: String) throws(SessionError) -> Device? {
    if let device = device(.input, named: word) { return device }
    let wanted = word.lowercased()
    guard !wanted.isEmpty else { return nil }
    let inputs = hardware(.input)
    let same = inputs.filter { $0.description.lowercased() == wanted }
    let near = same.isEmpty ? inputs.filter { $0.description.lowercased().contains(wanted) } : same
    guard near.count > 1 else { return near.first }
    throw SessionError(
      .inputNotAvailable, stage: .device, "'\(word)' fits \(near.count) inputs; name one of them",
      value: word, alternatives: near.map(\.name))
  }

  /// The source that a word means, as above; throws also if there is none.
  func input(called word: String) throws(SessionError) -> Device {
    if let found = try source(called: word) { return found }
    throw SessionError(
      .inputNotAvailable, stage: .device, "no source '\(word)'", value: word,
      alternatives: devices(.input).map(\.name))
  }
}
