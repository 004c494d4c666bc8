import Glibc
import POSIX

/// The folders of hooks, and whether a hook may run.
struct HookFolders: Sendable {
  /// An executable in a folder of hooks.
  struct Hook: Sendable, Equatable {
    var name: String
    var path: String
    /// Why the hook does not run; nil if it may.
    var refusal: String?
  }

  /// The folders `…/audiosession/hooks`, the user's first.
  let folders: [String]

  /// Uses the XDG configuration folders.
  init() {
    let own = ProcessEnvironment.configFolder().map { [$0] } ?? []
    folders = (own + ProcessEnvironment.systemConfigFolders()).map { $0 + "/audiosession/hooks" }
  }

  /// The hooks for an occasion, sorted by name; of two with the same name, the one in the earlier
  /// folder.
  ///
  /// A file that is not executable does not count as a hook, but hides one of its name in a later
  /// folder.
  func hooks(for occasion: String) -> [Hook] {
    var found: [String: Hook?] = [:]
    for folder in folders.map({ "\($0)/\(occasion).d" }) {
      let names: [String]
      do throws(SystemError) { names = try Folder.namesIfThere(folder) } catch {
        found[folder] = Hook(name: folder, path: folder, refusal: "it cannot be read (\(error))")
        continue
      }
      for name in names.filter(Self.isHook) where found[name] == nil {
        let path = "\(folder)/\(name)"
        let hook =
          File.isProgram(path)
          ? Hook(name: name, path: path, refusal: Self.refusal(of: path)) : nil
        found.updateValue(hook, forKey: name)
      }
    }
    return found.values.compactMap { $0 }.sorted { $0.name < $1.name }
  }

  /// False of hidden files, and of leftovers of editors and package managers.
  private static func isHook(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.hasSuffix("~") && !name.contains(".dpkg-")
  }

  /// Why a hook is unsafe: another user who can write to it, or to a folder above it, could run
  /// programs as this user.
  private static func refusal(of path: String) -> String? {
    [path, File.real(path) ?? path].lazy.compactMap(unsafePart).first
  }

  /// The first part of a path to which others can write.
  private static func unsafePart(of path: String) -> String? {
    var part = Substring(path)
    while true {
      let name = part.isEmpty ? "/" : String(part)
      guard let information = File.status(name) else { return "\(name) cannot be looked at" }
      guard information.st_uid == getuid() || information.st_uid == 0 else {
        return "\(name) belongs to another user"
      }
      // In a sticky folder, users can replace only their own files.
      if information.st_mode & S_ISVTX == 0, isOpen(name, information) {
        return "others can write to \(name)"
      }
      guard let slash = part.lastIndex(of: "/"), !part.isEmpty else { return nil }
      part = part[..<slash]
    }
  }

  /// Whether users besides the owner can write to a part of a path.
  ///
  /// Where each user has a group of their own, it may often write: the system's mask is 0002 then.
  private static func isOpen(_ path: String, _ information: stat) -> Bool {
    guard information.st_mode & S_IWOTH == 0 else { return true }
    guard information.st_mode & S_IWGRP != 0 else { return false }
    // With such a list these bits are the most that it allows, and not the group's.
    guard File.hasAccessList(path) == false, let owner = Accounts.findUser(information.st_uid),
      let group = Accounts.findGroup(information.st_gid)
    else { return true }
    return !group.isPrivate(to: owner)
  }
}
