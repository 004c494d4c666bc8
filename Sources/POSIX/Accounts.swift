package import Glibc

/// The users and groups of the system.
package enum Accounts {
  package struct User: Sendable {
    package var name: String
    /// The number of the primary group.
    package var group: gid_t
    package var home = ""
  }

  package struct Group: Sendable {
    package var number: gid_t
    package var name: String
    /// The users who are in it besides their primary group.
    package var members: [String]

    /// Whether a user is alone in it.
    ///
    /// The users whose primary group it is are not among the members. So it must have the user's
    /// name, as the group has that is made with a user, and by which `pam_umask` recognises it.
    package func isPrivate(to user: User) -> Bool {
      number == user.group && name == user.name && members.allSatisfy { $0 == user.name }
    }
  }

  /// The user of a number; nil if there is none, or the system does not know.
  package static func findUser(_ number: uid_t) -> User? {
    find(passwd()) {
      getpwuid_r(number, $0, $1, $2, $3)
    } reading: { entry in
      User(
        name: String(cString: entry.pw_name), group: entry.pw_gid,
        home: String(cString: entry.pw_dir))
    }
  }

  /// The group of a number; nil if there is none, or the system does not know.
  package static func findGroup(_ number: gid_t) -> Group? {
    find(group()) {
      getgrgid_r(number, $0, $1, $2, $3)
    } reading: { entry in
      var members: [String] = []
      var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = entry.gr_mem
      while let member = next?.pointee {
        members.append(String(cString: member))
        next = next?.advanced(by: 1)
      }
      return Group(number: entry.gr_gid, name: String(cString: entry.gr_name), members: members)
    }
  }

  /// Calls a function for an entry with larger and larger buffers: a group may have thousands of
  /// members.
  private static func find<Entry, Result>(
    _ empty: Entry,
    _ call: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> Int32,
    reading: (Entry) -> Result
  ) -> Result? {
    var size = 1 << 14
    while size <= 1 << 24 {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      var entry = empty
      var found: UnsafeMutablePointer<Entry>?
      switch call(&entry, buffer, size, &found) {
      case 0: return found == nil ? nil : reading(entry)
      case ERANGE: size *= 4
      case EINTR: continue
      default: return nil
      }
    }
    return nil
  }
}
