import FoundationEssentials
import PulseSandbox
import TestSupport
import Testing

@testable import audiosession

/// A section of the page "Cookbook": a profile with its place in the first line, and commands.
struct Recipe: Sendable, CustomTestStringConvertible {
  var title: String
  var profiles: [[String]] = []
  var commands: [String] = []
  var needsNullDevices = false

  var testDescription: String { title }

  static let all: [Recipe] = {
    let path = packageFolder + "/Sources/AudioSession/AudioSession.docc/Guides/Cookbook.md"
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [] }
    var recipes: [Recipe] = []
    var language: Substring?
    for line in String(decoding: data, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if language == nil, line.hasPrefix("### ") {
        recipes.append(Recipe(title: String(line.dropFirst(4))))
      } else if line.hasPrefix("```") {
        language = language == nil ? line.dropFirst(3) : nil
        if language == "toml" { recipes[recipes.count - 1].profiles.append([]) }
      } else if line == "<!-- null devices -->" {
        recipes[recipes.count - 1].needsNullDevices = true
      } else if language == "toml" {
        let last = recipes[recipes.count - 1].profiles.count - 1
        recipes[recipes.count - 1].profiles[last].append(String(line))
      } else if language == "sh" {
        recipes[recipes.count - 1].commands.append(String(line))
      }
    }
    return recipes
  }()

  /// The whole recipe as a script that ends with what it started in the background.
  func script(home: String) -> String {
    let files = profiles.map { lines in
      let path = "\"$HOME\"" + (lines.first ?? "").dropFirst(3)
      return "mkdir -p $(dirname \(path))\ncat > \(path) <<'TOML'\n"
        + lines.joined(separator: "\n") + "\nTOML\n"
    }
    return """
      export HOME=\(home)
      mkdir -p "$XDG_CONFIG_HOME" "$HOME"
      ln -s "$XDG_CONFIG_HOME" "$HOME/.config"
      cd "$HOME"
      trap '[ -z "$!" ] || kill $!' EXIT
      \(files.joined())\(commands.joined(separator: "\n"))
      :
      """
  }
}

@Suite("The cookbook", .timeLimit(.minutes(10)))
struct CookbookTests {
  @Test("has at least twenty recipes, each with commands")
  func isComplete() {
    #expect(Recipe.all.count >= 20)
    for recipe in Recipe.all {
      #expect(recipe.commands.contains { $0.contains("audiosession ") }, "\(recipe.title)")
      for profile in recipe.profiles {
        #expect(profile.first?.hasPrefix("# ~/.config/audiosession/profiles/") == true)
      }
    }
  }

  @Test("each recipe runs as it is printed", .simulatedCard, arguments: Recipe.all)
  func runs(_ recipe: Recipe) async throws {
    let devices: SandboxConfiguration = recipe.needsNullDevices ? .nullDevices : .demo
    try await PulseSandbox.with(devices) { sandbox in
      let folder = String(builtProgram.dropLast("/audiosession".count))
      let script =
        "export PATH=\(folder):$PATH\n" + recipe.script(home: sandbox.directory + "/home")
      let result = try await sandbox.capture(["sh", "-e", "-c", script], timeout: .seconds(90))
        .withTrueRates()
      #expect(result.status == 0, "\(result)")
    }
  }
}
